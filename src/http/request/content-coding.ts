import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { ReplyError } from '../../lib/http-contract.ts';

/**
 * Accepted content codings. Brotli is not accepted: its decoder takes up to 16 MiB before the first byte, and none of the
 * tested clients sends it.
 */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
};

/** As `Accept-Encoding` lists them. */
const accepted = 'gzip, deflate';

/** Whether a body must be decoded. @throws ReplyError 415 for an unknown coding or several codings. */
export function isCoded(header: string | undefined): boolean {
  const coding = codingOf(header);
  if (coding === '') return false;
  if (Object.hasOwn(decoders, coding)) return true;
  const detail = `The body has the content coding ${coding.slice(0, 50)}`;
  const hint = `Send it uncompressed, or with one of ${accepted}`;
  const body = { detail, code: 'unsupported_media', hint };
  throw new ReplyError({ status: 415, body, headers: { 'Accept-Encoding': accepted } });
}

/** The decoder for a checked `Content-Encoding`; null if the body is not coded. */
export function decoderOf(header: string | undefined): Transform | null {
  return decoders[codingOf(header)]?.() ?? null;
}

/** 400 for a body that does not match its content coding. */
export function notCoded(header: string | undefined): ReplyError {
  const detail = `The body is not valid ${codingOf(header)}, or ends early`;
  return new ReplyError({ status: 400, body: { detail, code: 'invalid_http' } });
}

function codingOf(header = ''): string {
  const coding = header.trim().toLowerCase();
  return coding === 'identity' ? '' : coding;
}
