import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';

/** Ranges are requested in multiples of this, so that neighboring reads share one request. */
export const blockBytes = 64 * 1024;
/** Number of cached blocks: 8 MiB. */
const keptBlocks = 128;

type BlockSource = Readonly<{
  size: number;
  /** Content of the first block. */
  first: Buffer;
  fetchRange(start: number, stop: number): Promise<Buffer>;
}>;

/** Reads any range from whole blocks, and fetches missing ones in a single request. */
export function createBlockReader({ size, first, fetchRange }: BlockSource) {
  const blocks = new LRUCache<number, Buffer>({ max: keptBlocks });
  blocks.set(0, first);

  async function read(start: number, stop: number): Promise<Uint8Array> {
    const begin = Math.floor(start / blockBytes);
    const end = Math.ceil(stop / blockBytes);
    const found = Array.from({ length: end - begin }, (_, index) => blocks.get(begin + index));
    const from = found.findIndex((block) => block === undefined);
    if (from !== -1) {
      const to = found.findLastIndex((block) => block === undefined) + 1;
      const bytes = await fetchRange((begin + from) * blockBytes, Math.min((begin + to) * blockBytes, size));
      for (let index = from; index < to; index += 1) {
        const block = bytes.subarray((index - from) * blockBytes, (index - from + 1) * blockBytes);
        found[index] = block;
        blocks.set(begin + index, block);
      }
    }
    const whole = Buffer.concat(found.filter((block) => block !== undefined));
    return whole.subarray(start - begin * blockBytes, stop - begin * blockBytes);
  }

  // One at a time, because two neighboring reads would request the same block.
  const alone = pLimit(1);
  return (start: number, stop: number): Promise<Uint8Array> => alone(() => read(start, stop));
}
