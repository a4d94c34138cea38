import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadKernels } from '../../src/similarity/index/wasm/kernels.ts';
import { plainKernels } from './plain-kernels.ts';

const pages = 4;
const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
const fast = loadKernels(memory);
const plain = plainKernels(memory.buffer);
const bytes = new Uint8Array(memory.buffer);

/** Places in the memory that do not overlap for the sizes below. */
const at = { queries: 16, ends: 40_000, rows: 60_000, fast: 200_000, plain: 220_000 };

/** Fills a part of the memory with anything, extremes included. */
function fill(start: number, length: number, seed: number): void {
  let state = seed | 1;
  for (let k = 0; k < length; k += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    const byte = state >>> 16;
    bytes[start + k] = byte % 11 === 0 ? 0x80 : byte % 13 === 0 ? 0xff : byte;
  }
}

function written(start: number, length: number): number[] {
  return [...bytes.slice(start, start + length)];
}

const count = fc.integer({ min: 0, max: 200 });
const seed = fc.integer();

describe('the kernels', () => {
  it('measure the distance to the nearest of some hashes as plain code does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), count, seed, (queries, rows, random) => {
        fill(at.queries, queries * 32, random);
        fill(at.rows, rows * 32, ~random);
        fast.hamming(at.queries, queries, at.rows, rows, at.fast);
        plain.hamming(at.queries, queries, at.rows, rows, at.plain);
        expect(written(at.fast, rows * 2)).toEqual(written(at.plain, rows * 2));
      }),
    );
  });

  it('measure all 256 bits', () => {
    bytes.fill(0, at.queries, at.queries + 32);
    bytes.fill(0xff, at.rows, at.rows + 32);
    fast.hamming(at.queries, 1, at.rows, 1, at.fast);
    expect(new DataView(memory.buffer).getUint16(at.fast, true)).toBe(256);
  });

  it('note pairs of near hashes as plain code does', () => {
    const some = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(some, some, fc.integer({ min: 90, max: 140 }), seed, (a, b, atMost, random) => {
        fill(at.queries, a * 32, random);
        fill(at.rows, b * 32, ~random);
        fast.pairs(at.queries, a, at.rows, b, atMost, at.fast);
        plain.pairs(at.queries, a, at.rows, b, atMost, at.plain);
        const length = new DataView(memory.buffer).getUint32(at.plain, true);
        expect(written(at.fast, length)).toEqual(written(at.plain, length));
      }),
    );
  });

  it('compare each region with its own hashes as plain code does', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(counts, count, seed, (perRegion, rows, random) => {
        let end = at.queries;
        const ends = perRegion.map((queries) => (end += queries * 8));
        new Uint32Array(memory.buffer, at.ends, ends.length).set(ends);
        fill(at.queries, end - at.queries, random);
        fill(at.rows, rows * perRegion.length * 8, ~random);
        fast.regions(at.queries, at.ends, perRegion.length, at.rows, rows, at.fast);
        plain.regions(at.queries, at.ends, perRegion.length, at.rows, rows, at.plain);
        expect(written(at.fast, rows * 2)).toEqual(written(at.plain, rows * 2));
      }),
    );
  });

  it('multiply vectors as plain code does, -128 included', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), count, seed, (chunks, rows, random) => {
        const query = new Int16Array(memory.buffer, at.queries, chunks * 16);
        fill(at.rows, chunks * 16, ~random);
        query.set(new Int8Array(memory.buffer, at.rows, chunks * 16));
        fill(at.rows, rows * chunks * 16, random);
        fast.dot(at.queries, chunks, at.rows, rows, at.fast);
        plain.dot(at.queries, chunks, at.rows, rows, at.plain);
        expect(written(at.fast, rows * 4)).toEqual(written(at.plain, rows * 4));
      }),
    );
  });
});
