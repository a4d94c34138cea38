import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScanPool } from '../../src/similarity/index/scan-pool.ts';
import type { Query } from '../../src/similarity/index/scan.ts';
import { SharedHeap } from '../../src/similarity/index/shared-heap.ts';
import { SimilarityIndex } from '../../src/similarity/index/similarity-index.ts';
import type { IndexedFingerprint, Hit } from '../../src/similarity/index/similarity-index.ts';
import { full, runsOf } from '../support/effort.ts';

const regionCount = 3;
const dimensions = 32;
let heap: SharedHeap;
let pool: ScanPool;

beforeAll(() => {
  heap = new SharedHeap(64 * 1024 * 1024);
  pool = new ScanPool(heap, 2);
});

afterAll(() => pool.close());

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const fingerprint: fc.Arbitrary<Omit<IndexedFingerprint, 'id'>> = fc.record({
  hashes: fc.option(fc.record({ pdq: bytes(32), regions: bytes(regionCount * 8), quality: fc.nat(100) })),
  vector: fc.option(fc.int8Array({ min: 1, minLength: dimensions, maxLength: dimensions })),
});

const query: fc.Arbitrary<Query> = fc.oneof(
  fc.record({
    kind: fc.constant('hashes' as const),
    hashes: fc.integer({ min: 1, max: 8 }).chain((count) => bytes(count * 32)),
    atMost: fc.integer({ min: 90, max: 140 }),
    minQuality: fc.constantFrom(0, 50),
  }),
  fc.array(fc.integer({ min: 1, max: 6 }), { minLength: regionCount, maxLength: regionCount }).chain((counts) =>
    fc.record({
      kind: fc.constant('regions' as const),
      hashes: bytes(counts.reduce((sum, count) => sum + count, 0) * 8),
      counts: fc.constant(counts),
      atMost: fc.integer({ min: 14, max: 34 }),
      minQuality: fc.constantFrom(0, 50),
    }),
  ),
  fc.record({
    kind: fc.constant('vectors' as const),
    vector: fc.int8Array({ minLength: dimensions, maxLength: dimensions }),
    atLeast: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
  }),
);

const bitsOf = Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function differing(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, k) => sum + (bitsOf[byte ^ (b[k] as number)] as number), 0);
}

function parts(joined: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: joined.length / length }, (_, k) => joined.subarray(k * length, (k + 1) * length));
}

/** What a query finds, said in the simplest way. */
function bruteForce(rows: Iterable<IndexedFingerprint>, asked: Query, allowed: ReadonlySet<number> | null): Hit[] {
  const hits: Hit[] = [];
  for (const { id, hashes, vector } of rows) {
    if (allowed !== null && !allowed.has(id)) continue;
    if (asked.kind === 'vectors') {
      if (vector === null || vector.every((each) => each === 0)) continue;
      const product = vector.reduce((sum, each, k) => sum + each * (asked.vector[k] as number), 0);
      const length = (each: Int8Array) => Math.sqrt(each.reduce((sum, part) => sum + part * part, 0));
      const value = product / (Math.fround(length(vector)) * length(asked.vector));
      if (value >= asked.atLeast) hits.push({ id, value });
      continue;
    }
    if (hashes === null || hashes.quality < asked.minQuality) continue;
    let value: number;
    if (asked.kind === 'hashes') {
      value = Math.min(...parts(asked.hashes, 32).map((hash) => differing(hash, hashes.pdq)));
    } else {
      const given = parts(asked.hashes, 8);
      const own = parts(hashes.regions, 8);
      value = Math.min(
        ...asked.counts.flatMap((count, k) =>
          given.splice(0, count).map((hash) => differing(hash, own[k] as Uint8Array)),
        ),
      );
    }
    if (value <= asked.atMost) hits.push({ id, value });
  }
  return hits;
}

const sorted = (hits: readonly Hit[]) => hits.toSorted((a, b) => a.id - b.id);
const fromBytes = (source: Uint8Array, at: number, length: number) =>
  Uint8Array.from({ length }, (_, k) => (source[(at + k * 7) % source.length] as number) ^ (at + k));

/** A row that follows from its number, quicker to make than by generators. */
function rowOf(id: number, seed: Uint8Array): IndexedFingerprint {
  const regions = fromBytes(seed, id * 3, regionCount * 8);
  const vector = new Int8Array(fromBytes(seed, id * 5, dimensions).buffer);
  return { id, hashes: { pdq: fromBytes(seed, id, 32), regions, quality: id % 101 }, vector };
}

describe('the index of fingerprints', () => {
  it('finds exactly what looking at each row finds, through adds, changes and removals', async () => {
    const command = fc.oneof(
      { weight: 5, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 40 }), put: fingerprint }) },
      { weight: 2, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 40 }), remove: fc.constant(true) }) },
      {
        weight: 3,
        arbitrary: fc.record({ query, allowed: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 45 }))) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const index = new SimilarityIndex(heap, pool, regionCount, dimensions);
        const rows = new Map<number, IndexedFingerprint>();
        for (const each of commands) {
          if ('put' in each) {
            rows.set(each.id, { id: each.id, ...each.put });
            index.put({ id: each.id, ...each.put });
          } else if ('remove' in each) {
            rows.delete(each.id);
            index.remove(each.id);
          } else {
            const allowed = each.allowed && new Set(each.allowed);
            const found = await index.find(each.query, allowed);
            expect(sorted(found)).toEqual(sorted(bruteForce(rows.values(), each.query, allowed)));
          }
          expect(index.size).toBe(rows.size);
        }
        for (const [id, row] of rows) expect(index.get(id)).toEqual(row);
        index.clear();
      }),
      { numRuns: 60 },
    );
  });

  it('answers for the moment of the answer while rows are written during the scan', full, async () => {
    const seed = fc.sample(bytes(97), { numRuns: 1, seed: 7 })[0] as Uint8Array;
    const rows = new Map<number, IndexedFingerprint>();
    const index = new SimilarityIndex(heap, pool, regionCount, dimensions);
    const put = (row: IndexedFingerprint) => {
      rows.set(row.id, row);
      index.put(row);
    };
    for (let id = 1; id <= 20_000; id += 1) put(rowOf(id, seed));
    const asked = fc.sample(query, { numRuns: 12, seed: 11 });
    for (const [round, each] of asked.entries()) {
      const answer = index.find(each);
      for (let k = 0; k < 300; k += 1) {
        const id = ((round * 7919 + k * 104_729) % 21_000) + 1;
        if (k % 3 === 0) {
          rows.delete(id);
          index.remove(id);
        } else put({ ...rowOf(id + round, seed), id });
      }
      const found = await answer;
      expect(sorted(found)).toEqual(sorted(bruteForce(rows.values(), each, null)));
    }
    index.clear();
  });

  it('gives its memory back, and answers nothing when it is cleared during a scan', async () => {
    const seed = Uint8Array.from({ length: 97 }, (_, k) => k * 31);
    const fill = () => {
      const index = new SimilarityIndex(heap, pool, regionCount, dimensions);
      for (let id = 1; id <= 6000; id += 1) index.put(rowOf(id, seed));
      return index;
    };
    const first = fill();
    const answer = first.find({ kind: 'hashes', hashes: new Uint8Array(32), atMost: 256, minQuality: 0 });
    first.clear();
    expect(await answer).toEqual([]);
    const used = heap.usedBytes;
    fill().clear();
    expect(heap.usedBytes).toBe(used);
  });

  it('leaves its memory to indexes of vectors with any other length', () => {
    const small = new SharedHeap(2 * 1024 * 1024);
    const own = new ScanPool(small, 1);
    const sizes = [0, 32, 512, 16, 128].map((length) => {
      const index = new SimilarityIndex(small, own, regionCount, length);
      try {
        for (let id = 1; ; id += 1) index.put({ id, hashes: null, vector: null });
      } catch {
        const { size } = index;
        index.clear();
        return size * index.layout.blockBytes;
      }
    });
    // In each, less than one block of 512 rows is missing.
    for (const size of sizes) expect(size / 512).toBeGreaterThan(1.5 * 1024 * 1024);
  });

  it('shares no byte with another, in whichever order they come and go', () => {
    const few = 64 * 1024;
    const step = fc.record({ bytes: fc.integer({ min: 1, max: few / 4 }), isFreed: fc.boolean(), which: fc.nat(30) });
    const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tight = new SharedHeap(16 * few);
      const held: { start: number; bytes: number }[] = [];
      for (const { bytes: size, isFreed, which } of steps) {
        const [gone] = isFreed && held.length > 0 ? held.splice(which % held.length, 1) : [];
        if (gone !== undefined) tight.free(gone.start, gone.bytes);
        else if (tight.hasRoom(size)) held.push({ start: tight.allocate(size), bytes: size });
        const inOrder = held.toSorted((a, b) => a.start - b.start);
        for (const [k, { start, bytes: length }] of inOrder.entries()) {
          expect(start % 64).toBe(0);
          expect(start + length).toBeLessThanOrEqual(inOrder[k + 1]?.start ?? tight.usedBytes);
        }
      }
      for (const { start, bytes: size } of held) tight.free(start, size);
      expect(tight.usedBytes).toBe(64);
    });
    fc.assert(property, { numRuns: runsOf('values') });
  });

  it('refuses to grow beyond its budget', () => {
    const small = new SharedHeap(1024 * 1024);
    expect(() => {
      for (;;) small.allocate(100_000);
    }).toThrow('The memory for similarity search is used up');
  });
});
