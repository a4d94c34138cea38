import { assemble } from './assembler.ts';
import type { FunctionSource, Instruction } from './assembler.ts';

/**
 * The inner loops of similarity search. Each processes `count` adjacent rows and
 * writes one number per row to `out`. `plain-kernels.ts` does the same in TypeScript.
 */
export type Kernels = Readonly<{
  /** out (u16): the smallest Hamming distance of the row (32 bytes) to any of the query hashes. */
  hamming: (queries: number, queryCount: number, rows: number, count: number, out: number) => void;
  /**
   * Compares each of `countA` hashes (32 bytes) with each of `countB` others. out: 4 + 8 × the number of pairs that
   * differ in at most `atMost` bits (u32), then those pairs, as numbers of rows in `a` and in `b` (u32 each).
   */
  pairs: (a: number, countA: number, b: number, countB: number, atMost: number, out: number) => void;
  /**
   * Rows are `regionCount` hashes of 64 bits. `ends` holds, for each region, the address (u32) where
   * its query hashes end; those of the first start at `queries`, every region has at least one.
   * out (u16): the smallest distance of any region's hash to any of its query hashes.
   */
  regions: (queries: number, ends: number, regionCount: number, rows: number, count: number, out: number) => void;
  /** out (i32): dot product of the query (i16) and the row (i8); both have `chunks` × 16 dimensions. */
  dot: (query: number, chunks: number, rows: number, count: number, out: number) => void;
}>;

type Get = (name: string) => Instruction;
type Body = (tools: { get: Get; set: Get; tee: Get }) => readonly Instruction[];

function kernel(name: string, parameters: string[], locals: FunctionSource['locals'], body: Body): FunctionSource {
  return {
    name,
    parameters,
    locals,
    body: (local) =>
      body({
        get: (each) => ['local.get', local(each)],
        set: (each) => ['local.set', local(each)],
        tee: (each) => ['local.tee', local(each)],
      }),
  };
}

/** Repeats while the last instruction of `body` leaves a non-zero value. */
function repeat(body: readonly Instruction[]): Instruction[] {
  return [['loop'], ...body, ['br_if', 0], ['end']];
}

/** Does nothing when a count is zero. */
function unless(count: Instruction, body: readonly Instruction[]): Instruction[] {
  return [['block'], count, ['i32.eqz'], ['br_if', 0], ...body, ['end']];
}

/** Advances an address. */
function advance({ get, set }: { get: Get; set: Get }, name: string, bytes: number): Instruction[] {
  return [get(name), ['i32.const', bytes], ['i32.add'], set(name)];
}

/** Decrements a counter; leaves the new value. */
function countDown({ get, tee }: { get: Get; tee: Get }, name: string): Instruction[] {
  return [get(name), ['i32.const', 1], ['i32.sub'], tee(name)];
}

/** best = min(best, distance) */
function keepSmaller({ get, set }: { get: Get; set: Get }): Instruction[] {
  return [get('best'), get('distance'), get('best'), get('distance'), ['i32.lt_u'], ['select'], set('best')];
}

/** Adds up the four 32-bit lanes of a vector. */
function sumOfLanes(vector: Instruction): Instruction[] {
  const lanes = [0, 1, 2, 3].map((lane): Instruction[] => [vector, ['i32x4.extract_lane', lane]]);
  return [...lanes.flat(), ['i32.add'], ['i32.add'], ['i32.add']];
}

const hamming = kernel(
  'hamming',
  ['queries', 'queryCount', 'rows', 'count', 'out'],
  { low: 'v128', high: 'v128', bits: 'v128', query: 'i32', left: 'i32', best: 'i32', distance: 'i32' },
  (tools) => {
    const { get, set } = tools;
    const eachQuery: Instruction[] = [
      // The differing bits, counted per byte; 16 at most, so that two halves fit into a byte.
      ...([get('query'), ['v128.load', 0], get('low'), ['v128.xor'], ['i8x16.popcnt']] as Instruction[]),
      ...([get('query'), ['v128.load', 16], get('high'), ['v128.xor'], ['i8x16.popcnt']] as Instruction[]),
      ['i8x16.add'],
      ['i16x8.extadd_pairwise_i8x16_u'],
      ['i32x4.extadd_pairwise_i16x8_u'],
      set('bits'),
      ...sumOfLanes(get('bits')),
      set('distance'),
      ...keepSmaller(tools),
      ...advance(tools, 'query', 32),
      ...countDown(tools, 'left'),
    ];
    const eachRow: Instruction[] = [
      ...([get('rows'), ['v128.load', 0], set('low'), get('rows'), ['v128.load', 16], set('high')] as Instruction[]),
      ...([['i32.const', 0xffff], set('best'), get('queries'), set('query')] as Instruction[]),
      ...([get('queryCount'), set('left')] as Instruction[]),
      ...repeat(eachQuery),
      ...([get('out'), get('best'), ['i32.store16', 0]] as Instruction[]),
      ...advance(tools, 'rows', 32),
      ...advance(tools, 'out', 2),
      ...countDown(tools, 'count'),
    ];
    return unless(get('count'), repeat(eachRow));
  },
);

const pairs = kernel(
  'pairs',
  ['a', 'countA', 'b', 'countB', 'atMost', 'out'],
  { low: 'v128', high: 'v128', bits: 'v128', row: 'i32', other: 'i32', at: 'i32', end: 'i32' },
  (tools) => {
    const { get, set } = tools;
    const step = (name: string): Instruction[] => [get(name), ['i32.const', 1], ['i32.add'], set(name)];
    const isBelow = (name: string, limit: string): Instruction[] => [get(name), get(limit), ['i32.lt_u']];
    const notePair: Instruction[] = [
      ...([get('end'), get('row'), ['i32.store', 0], get('end'), get('other'), ['i32.store', 4]] as Instruction[]),
      ...advance(tools, 'end', 8),
    ];
    const eachOther: Instruction[] = [
      ...([get('at'), ['v128.load', 0], get('low'), ['v128.xor'], ['i8x16.popcnt']] as Instruction[]),
      ...([get('at'), ['v128.load', 16], get('high'), ['v128.xor'], ['i8x16.popcnt']] as Instruction[]),
      ['i8x16.add'],
      ['i16x8.extadd_pairwise_i8x16_u'],
      ['i32x4.extadd_pairwise_i16x8_u'],
      set('bits'),
      // Skips a pair that is too far apart, which nearly every one is.
      ...([['block'], get('atMost'), ...sumOfLanes(get('bits')), ['i32.lt_u'], ['br_if', 0]] as Instruction[]),
      ...notePair,
      ['end'],
      ...advance(tools, 'at', 32),
      ...step('other'),
      ...isBelow('other', 'countB'),
    ];
    const eachRow: Instruction[] = [
      ...([get('a'), ['v128.load', 0], set('low'), get('a'), ['v128.load', 16], set('high')] as Instruction[]),
      ...([['i32.const', 0], set('other'), get('b'), set('at')] as Instruction[]),
      ...repeat(eachOther),
      ...advance(tools, 'a', 32),
      ...step('row'),
      ...isBelow('row', 'countA'),
    ];
    return [
      ...([get('out'), ['i32.const', 4], ['i32.add'], set('end')] as Instruction[]),
      ...unless(get('countA'), unless(get('countB'), repeat(eachRow))),
      ...([get('out'), get('end'), get('out'), ['i32.sub'], ['i32.store', 0]] as Instruction[]),
    ];
  },
);

const regions = kernel(
  'regions',
  ['queries', 'ends', 'regionCount', 'rows', 'count', 'out'],
  { row: 'i64', query: 'i32', end: 'i32', at: 'i32', left: 'i32', best: 'i32', distance: 'i32' },
  (tools) => {
    const { get, set } = tools;
    const eachQuery: Instruction[] = [
      ...([get('query'), ['i64.load', 0], get('row'), ['i64.xor'], ['i64.popcnt'], ['i32.wrap_i64']] as Instruction[]),
      set('distance'),
      ...keepSmaller(tools),
      ...advance(tools, 'query', 8),
      ...([get('query'), get('end'), ['i32.lt_u']] as Instruction[]),
    ];
    const eachRegion: Instruction[] = [
      ...([get('rows'), ['i64.load', 0], set('row'), get('at'), ['i32.load', 0], set('end')] as Instruction[]),
      ...repeat(eachQuery),
      ...advance(tools, 'rows', 8),
      ...advance(tools, 'at', 4),
      ...countDown(tools, 'left'),
    ];
    const eachRow: Instruction[] = [
      ...([['i32.const', 0xffff], set('best'), get('queries'), set('query')] as Instruction[]),
      ...([get('ends'), set('at'), get('regionCount'), set('left')] as Instruction[]),
      ...repeat(eachRegion),
      ...([get('out'), get('best'), ['i32.store16', 0]] as Instruction[]),
      ...advance(tools, 'out', 2),
      ...countDown(tools, 'count'),
    ];
    return unless(get('count'), repeat(eachRow));
  },
);

const dot = kernel(
  'dot',
  ['query', 'chunks', 'rows', 'count', 'out'],
  { row: 'v128', sum: 'v128', at: 'i32', left: 'i32' },
  (tools) => {
    const { get, set } = tools;
    const half = (extend: 'low' | 'high', offset: number): Instruction[] => [
      get('row'),
      [`i16x8.extend_${extend}_i8x16_s`],
      get('at'),
      ['v128.load', offset],
      ['i32x4.dot_i16x8_s'],
    ];
    const eachChunk: Instruction[] = [
      ...([get('rows'), ['v128.load', 0], set('row'), get('sum')] as Instruction[]),
      ...([...half('low', 0), ['i32x4.add'], ...half('high', 16), ['i32x4.add'], set('sum')] as Instruction[]),
      ...advance(tools, 'rows', 16),
      ...advance(tools, 'at', 32),
      ...countDown(tools, 'left'),
    ];
    const eachRow: Instruction[] = [
      ...([['i32.const', 0], ['i8x16.splat'], set('sum'), get('query'), set('at')] as Instruction[]),
      ...([get('chunks'), set('left')] as Instruction[]),
      ...repeat(eachChunk),
      ...([get('out'), ...sumOfLanes(get('sum')), ['i32.store', 0]] as Instruction[]),
      ...advance(tools, 'out', 4),
      ...countDown(tools, 'count'),
    ];
    return unless(get('count'), repeat(eachRow));
  },
);

/** The kernels over a shared memory, which must have been created with this maximum. */
export function loadKernels(memory: WebAssembly.Memory, maxPages: number): Kernels {
  const module = new WebAssembly.Module(assemble([hamming, pairs, regions, dot], maxPages));
  return new WebAssembly.Instance(module, { env: { memory } }).exports as Kernels;
}
