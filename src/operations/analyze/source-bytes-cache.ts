import { LRUCache } from 'lru-cache';
import { counter } from '../../observability/metrics/index.ts';
import { cachedSourceBytes } from './limits.ts';

/** Bytes of files that were read to be stored and will soon be analyzed. On a miss, the source is read again. */
export type SourceBytesCache = Readonly<{
  give: (tenantId: number, checksum: string, bytes: Buffer) => void;
  take: (tenantId: number, checksum: string) => Buffer | undefined;
}>;

export function createSourceBytesCache(): SourceBytesCache {
  const kept = new LRUCache<string, Buffer>({
    maxSize: cachedSourceBytes,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });
  return {
    give: (tenantId, checksum, bytes) => void kept.set(`${tenantId} ${checksum}`, bytes),
    take(tenantId, checksum) {
      const key = `${tenantId} ${checksum}`;
      const bytes = kept.get(key);
      kept.delete(key);
      counter('cache_lookups_total', { cache: 'source_bytes', result: bytes === undefined ? 'miss' : 'hit' }).add();
      return bytes;
    },
  };
}
