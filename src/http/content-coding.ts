import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { ReplyError } from '../lib/http-contract.ts';

/**
 * How a body may be coded. Brotli is none of them: its decoder takes up to 16 MiB before it gives a byte, and no client
 * that was tried sends it.
 */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
};

/** As `Accept-Encoding` tells it. */
const accepted = 'gzip, deflate';

/** Whether a body is to be decoded before it is read. @throws ReplyError 415 for a coding that is not known, or several. */
export function isCoded(header: string | undefined): boolean {
  const coding = codingOf(header);
  if (coding === '') return false;
  if (Object.hasOwn(decoders, coding)) return true;
  const detail = `The body has the content coding ${coding.slice(0, 50)}`;
  const hint = `Send it uncompressed, or with one of ${accepted}`;
  const body = { detail, code: 'unsupported_media', hint };
  throw new ReplyError({ status: 415, body, headers: { 'Accept-Encoding': accepted } });
}

/** What decodes a body of this `Content-Encoding`, which is known to be one; null where it comes as it is. */
export function decoderOf(header: string | undefined): Transform | null {
  return decoders[codingOf(header)]?.() ?? null;
}

/** 400 for what is not coded as it says. */
export function notCoded(header: string | undefined): ReplyError {
  const detail = `The body is not valid ${codingOf(header)}, or ends early`;
  return new ReplyError({ status: 400, body: { detail, code: 'invalid_http' } });
}

function codingOf(header = ''): string {
  const coding = header.trim().toLowerCase();
  return coding === 'identity' ? '' : coding;
}
