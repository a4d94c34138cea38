import { graphql } from './graphql.ts';
import type { Document } from './graphql.ts';
import { patiently } from './patiently.ts';
import type { Waiter } from './patiently.ts';

/**
 * Runs a document with one write. While the service is away, it is sent again under its key, so that it is done only
 * once.
 *
 * @param key identifies the write, even in another page
 * @throws ApiError if the service refuses it, or was away for too long
 */
export function writeOnce<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  { key = newKey(), ...waiter }: Waiter & Readonly<{ key?: string }>,
): Promise<Result> {
  return patiently(() => graphql(document, variables, waiter.signal, key), waiter);
}

/** A unique key for a write. `crypto.randomUUID` exists only over HTTPS. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
