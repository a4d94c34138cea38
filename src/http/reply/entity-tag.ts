import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ReplyError } from '../../lib/http-contract.ts';

/** Longer bodies are not hashed: half a megabyte would block the event loop for a third of a millisecond. */
export const tagUpTo = 64 * 1024;

/**
 * A weak tag of a body, the same for each of its encodings. SHA-1 takes 0.6 µs for a record; its weakness against forgery
 * does not matter here.
 *
 * @param version of the record, which `If-Match` is compared with.
 */
export function entityTagOf(content: string | Buffer, version?: string): string {
  const digest = hash('sha1', content, 'base64url');
  return `W/"${version === undefined ? digest : `${version}.${digest}`}"`;
}

/** Whether a condition names the tag, compared weakly, as RFC 9110 requires for `If-None-Match`. */
export function namesTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  const opaque = tag.slice(tag.indexOf('"'));
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some((match) => match[1] === opaque);
}

const detail = 'The content does not match If-Match';

/**
 * Whether the client of a read already has the content of this tag, which means 304.
 *
 * @throws ReplyError 412 if `If-Match` requires other content; the tag is compared weakly, since most are weak.
 */
export function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  const { 'if-match': required, 'if-none-match': known } = headers;
  if (required !== undefined && !namesTag(required, tag)) {
    throw new ReplyError({ status: 412, body: { detail, code: 'precondition_failed' } });
  }
  return known !== undefined && namesTag(known, tag);
}
