import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { documentLimits } from './limits.ts';

/** How a request of a tenant names its document: by its text, by the digest of its text, or by both. */
type Named = Readonly<{ tenantId: number; query: string | undefined; extensions: unknown }>;

/** The texts of documents by tenant and digest, for clients that send only the digest from the second time on. */
export class PersistedDocuments {
  readonly #texts = new LRUCache<string, string>({
    maxSize: 16 * 2 ** 20,
    sizeCalculation: (text) => text.length + 100,
  });

  /** Returns the text with a digest; undefined if the request has no digest, or an unknown one. */
  textOf(tenantId: number, extensions: unknown): string | undefined {
    const digest = digestOf(extensions);
    return digest === null ? undefined : this.#texts.get(`${tenantId} ${digest}`);
  }

  /**
   * Returns the text of a request; caches it under its digest if both are sent.
   *
   * @throws GraphQLError `PERSISTED_QUERY_NOT_FOUND`, after which clients send the text as well, or
   * `PERSISTED_QUERY_MISMATCH`.
   */
  resolve({ tenantId, query, extensions }: Named): string | undefined {
    const digest = digestOf(extensions);
    if (digest === null) return query;
    if (query === undefined || query === '') {
      const known = this.#texts.get(`${tenantId} ${digest}`);
      if (known === undefined) throw notFound();
      return known;
    }
    if (query.length > documentLimits.length.max) return query; // The check of the limit reports this itself.
    if (hash('sha256', query) !== digest) throw mismatch();
    this.#texts.set(`${tenantId} ${digest}`, query);
    return query;
  }
}

function digestOf(extensions: unknown): string | null {
  const { persistedQuery } = (extensions ?? {}) as {
    persistedQuery?: { version?: unknown; sha256Hash?: unknown } | null;
  };
  const { version, sha256Hash } = persistedQuery ?? {};
  return version === 1 && typeof sha256Hash === 'string' ? sha256Hash.toLowerCase() : null;
}

/** Returns an error with the message that clients check for. */
function notFound(): GraphQLError {
  const hint = 'Send the document as query again, with its digest';
  return new GraphQLError('PersistedQueryNotFound', {
    extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', hint, http: { status: 404, spec: true } },
  });
}

function mismatch(): GraphQLError {
  const hint = 'sha256Hash is the SHA-256 of query in UTF-8, as hexadecimal digits';
  return new GraphQLError('The digest does not match the document', {
    extensions: { code: 'PERSISTED_QUERY_MISMATCH', argument: 'extensions', hint, http: { status: 400 } },
  });
}
