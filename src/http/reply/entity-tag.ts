import { hash } from 'node:crypto';

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

/** Whether `If-None-Match` contains the tag, compared weakly as RFC 9110 requires for reads. */
export function namesTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  const opaque = tag.slice(tag.indexOf('"'));
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some((match) => match[1] === opaque);
}
