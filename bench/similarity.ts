import { findGroups, ScanPool, SharedHeap, SimilarityIndex } from '../src/similarity/index.ts';
import type { DuplicateCandidates, Hit, Query } from '../src/similarity/index.ts';
import { pdqDistance, regionCount, toRegionQuery, rotateHash, rotations } from '../src/analysis/index.ts';
import { report } from './measure.ts';
import { benchVerification } from './verification.ts';

const count = 1_000_000;
export const dimensions = 128;
const rounds = 40;

/** Random bytes, generated fast: the work of a scan does not depend on the content of the rows. */
export function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = seed;
  for (let k = 0; k < words.length; k += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[k] = state;
  }
  return new Uint8Array(words.buffer, 0, length);
}

/** A million fingerprints in memory, scanned by two threads; and the groups among them. */
export async function benchSimilarity(): Promise<void> {
  await benchVerification();
  const heap = new SharedHeap(600 * 1024 * 1024);
  const pool = new ScanPool(heap, 2);
  const index = new SimilarityIndex(heap, pool, regionCount, dimensions);
  const pdqs = noise(count * 32, 1);
  const before = process.memoryUsage().rss;
  const perSecond = fill(index, pdqs);
  report('fill the index, fingerprints a second', `${Math.round(perSecond / 1000)}k`, '≥ 200k', '');
  const bytes = (process.memoryUsage().rss - before) / count;
  report('memory per image, both indexes', `${Math.round(bytes)} B`, '≤ 400 B', '');
  const hashes = () => Uint8Array.from(pdqs.subarray(32 * 4711, 32 * 4712), (byte, k) => (k < 3 ? byte ^ 0x55 : byte));
  const same: Query = { kind: 'hashes', hashes: hashes(), atMost: 31, minQuality: 50 };
  const tenth = new Set(Array.from({ length: count / 10 }, (_, k) => k * 10 + 1));
  const found = await index.find(same);
  report('i== against 1M hashes: recall against brute force', recall(found, pdqs, hashes()), '1.00', '');
  await time('i== against 1M hashes', '≤ 20 ms', () => index.find(same));
  await time('i== against 1M hashes, a tenth of them allowed', '≤ 20 ms', () => index.find(same, tenth));
  const vector = new Int8Array(noise(dimensions, 9).buffer);
  await time('i~ against 1M × 128 bytes', '≤ 60 ms', () => index.find({ kind: 'vectors', vector, atLeast: 0.3 }));
  const parts = toRegionQuery(noise(regionCount * 8, 5));
  const edited: Query = { kind: 'regions', ...parts, atMost: 12, minQuality: 0 };
  const turned = Uint8Array.from(rotations.flatMap((rotation) => [...rotateHash(hashes(), rotation)]));
  await time('i= against 1M: hashes of parts', '-', () => index.find(edited));
  await time('i= against 1M: all turns', '-', () => index.find({ ...same, hashes: turned }));
  index.clear();
  await pool.close();
  benchGroups(pdqs);
}

/** Adds images with these hashes to an index; returns how many per second. */
export function fill(index: SimilarityIndex, pdqs: Uint8Array): number {
  const images = pdqs.length / 32;
  const regions = noise(regionCount * 8 * 1000, 2);
  const vectors = new Int8Array(noise(dimensions * 1000, 3).buffer);
  const began = performance.now();
  for (let k = 0; k < images; k += 1) {
    const part = k % 1000;
    const own = regions.subarray(part * regionCount * 8, (part + 1) * regionCount * 8);
    const vector = vectors.subarray(part * dimensions, (part + 1) * dimensions);
    index.put({ id: k + 1, hashes: { pdq: pdqs.subarray(k * 32, k * 32 + 32), regions: own, quality: 80 }, vector });
  }
  return images / ((performance.now() - began) / 1000);
}

function recall(found: readonly Hit[], pdqs: Uint8Array, hash: Uint8Array): string {
  const ids = new Set(found.map(({ id }) => id));
  let near = 0;
  let missed = 0;
  for (let k = 0; k < count; k += 1) {
    if (pdqDistance(hash, pdqs.subarray(k * 32, k * 32 + 32)) > 31) continue;
    near += 1;
    if (!ids.has(k + 1)) missed += 1;
  }
  return ((near - missed) / near).toFixed(2);
}

async function time(what: string, target: string, run: () => Promise<unknown>): Promise<void> {
  await run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] as number).toFixed(1);
  report(`${what}, p95`, `${at(0.95)} ms`, target, `p50 ${at(0.5)} ms`);
}

/** Gives one hash in twenty a near copy. */
export function plantCopies(pdqs: Uint8Array): void {
  for (let k = 0; 32 * k < pdqs.length; k += 20) {
    pdqs.copyWithin((k + 1) * 32, k * 32, (k + 1) * 32);
    pdqs[(k + 1) * 32 + 3] = (pdqs[k * 32 + 3] as number) ^ 5;
  }
}

/** Groups among hashes of which one in twenty has a near copy. */
function benchGroups(pdqs: Uint8Array): void {
  plantCopies(pdqs);
  let before = 0;
  for (const size of [10_000, 100_000, count]) {
    const began = performance.now();
    const groups = findGroups(candidatesOf(pdqs, size), { distance: 31, minQuality: 50 });
    const seconds = (performance.now() - began) / 1000;
    const growth = before === 0 ? '' : `${(seconds / before).toFixed(1)} × the time for 10 × the pictures`;
    const target = size === count ? '≤ 600 s' : '-';
    report(
      `duplicate groups over ${size} hashes`,
      `${seconds.toFixed(1)} s`,
      target,
      `${groups.starts.length - 1} groups ${growth}`,
    );
    before = seconds;
  }
}

/** Candidates without files and verdicts. */
export function candidatesOf(pdqs: Uint8Array, count: number): DuplicateCandidates {
  return {
    count,
    hashes: pdqs.subarray(0, count * 32),
    quality: new Uint8Array(count).fill(100),
    files: new Int32Array(count).fill(-1),
    joined: new Uint32Array(),
    apart: new Uint32Array(),
    edited: null,
    formTemplates: null,
  };
}
