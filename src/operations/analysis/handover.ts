import { LRUCache } from 'lru-cache';
import { counter } from '../../metrics/index.ts';
import { handoverBytes } from './limits.ts';

/** Bytes that were read to be stored and will soon be analysed; whoever finds none reads the source. */
export type Handover = Readonly<{
  give: (tenantId: number, checksum: string, bytes: Buffer) => void;
  take: (tenantId: number, checksum: string) => Buffer | undefined;
}>;

export function createHandover(maxSize: number = handoverBytes): Handover {
  const kept = new LRUCache<string, Buffer>({ maxSize, sizeCalculation: ({ length }) => Math.max(1, length) });
  return {
    give: (tenantId, checksum, bytes) => void kept.set(`${tenantId} ${checksum}`, bytes),
    take(tenantId, checksum) {
      const key = `${tenantId} ${checksum}`;
      const bytes = kept.get(key);
      kept.delete(key);
      counter('cache_lookups_total', { cache: 'handover', result: bytes === undefined ? 'miss' : 'hit' }).add();
      return bytes;
    },
  };
}
