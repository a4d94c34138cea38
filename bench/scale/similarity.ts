import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { findGroups, ScanPool, SharedHeap, SimilarityIndex } from '../../src/similarity/index.ts';
import type { Query } from '../../src/similarity/index.ts';
import { regionCount } from '../../src/analysis/index.ts';
import type { Figures } from './rows.ts';
import { dimensions, fill, candidatesOf, noise, plantCopies } from '../similarity.ts';

const rounds = 20;
const threads = 2;
const mostMemory = 2 ** 32 - 2 ** 16;

/** Memory of an index of this many images, and the time to scan it; needs no database. */
export async function measureSimilarity(size: number): Promise<Figures> {
  // As large as WebAssembly allows, because growing an index temporarily takes more than it keeps.
  const heap = new SharedHeap(Math.min(mostMemory, 64 * 2 ** 20 + 600 * size));
  const pool = new ScanPool(heap, threads);
  const index = new SimilarityIndex(heap, pool, regionCount, dimensions);
  const pdqs = noise(size * 32, 1);
  const before = process.memoryUsage().rss;
  fill(index, pdqs);
  const memory = (process.memoryUsage().rss - before) / 1e6;
  const hashes = pdqs.slice(0, 32).map((byte, k) => (k < 3 ? byte ^ 0x55 : byte));
  const same = await leastOf(() => index.find({ kind: 'hashes', hashes, atMost: 31, minQuality: 50 }));
  const vector = new Int8Array(noise(dimensions, 9).buffer);
  const alike = await leastOf(() => index.find({ kind: 'vectors', vector, atLeast: 0.3 } satisfies Query));
  index.clear();
  await pool.close();
  plantCopies(pdqs);
  const began = performance.now();
  findGroups(candidatesOf(pdqs, size), { distance: 31, minQuality: 50 });
  return { memory, same, alike, groups: (performance.now() - began) / 1000 };
}

async function leastOf(run: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await run();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
