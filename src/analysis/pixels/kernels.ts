import { instantiate } from '../../lib/instantiate.ts';

/** Loops over pixels with several numbers at once (SIMD); addresses are bytes in their memory. The build compiles `kernels.wat`. */
export type Loops = Readonly<{
  /** Makes a line of `stride` floats: weighted sums of bytes in `count` rows below each other. `stride` is rounded up to 16. */
  sumRows: (line: number, source: number, stride: number, weights: number, count: number) => void;
  /**
   * Makes `count` pixels of three floats: each is its `ground` plus the weighted pixels of `line`, which have `step` bytes,
   * from `first` on; its weights are those from `starts` to the next of them. Writes a fourth float behind the last pixel.
   */
  narrow: (
    out: number,
    line: number,
    step: number,
    first: number,
    starts: number,
    weights: number,
    ground: number,
    count: number,
  ) => void;
  /** Lightness by the weights of television, of pixels of `step` bytes. */
  gray: (out: number, source: number, step: number, count: number) => void;
  /** Sums over everything above and left of each pixel, with a row and a column of zeros before; both sides are above 0. */
  sums: (out: number, gray: number, width: number, height: number) => void;
  /**
   * Compares pixels of a row, times `count`, with the sums of rectangles: 1 if less by more than `least`, 2 if more, else 0.
   * The corners of the first rectangle are addresses of sums; `columns` is rounded up to four.
   */
  compare: (
    out: number,
    gray: number,
    columns: number,
    belowRight: number,
    aboveRight: number,
    belowLeft: number,
    aboveLeft: number,
    count: number,
    least: number,
  ) => void;
}>;

const kinds = { bytes: Uint8Array, integers: Int32Array, floats: Float32Array } as const;
type Layout = Readonly<Record<string, readonly [kind: keyof typeof kinds, length: number]>>;
type Arrays<L extends Layout> = { readonly [Name in keyof L]: InstanceType<(typeof kinds)[L[Name][0]]> };

const page = 65_536;
/** Loops read and write whole blocks, so up to this many bytes behind an array. */
const margin = 64;

let loaded: Readonly<{ memory: WebAssembly.Memory; loops: Loops }> | undefined;

/** Arrays in the memory of the loops, with whatever was there before. They are valid until the next call. */
export function arrange<const L extends Layout>(layout: L): Readonly<{ loops: Loops; arrays: Arrays<L> }> {
  const { memory, loops } = (loaded ??= load());
  let size = 0;
  const places = Object.entries(layout).map(([name, [kind, length]]) => {
    const at = size;
    size = Math.ceil((at + length * kinds[kind].BYTES_PER_ELEMENT + margin) / 16) * 16;
    return { name, kind, length, at };
  });
  const missing = size - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / page));
  const arrays = places.map(({ name, kind, length, at }) => [name, new kinds[kind](memory.buffer, at, length)]);
  return { loops, arrays: Object.fromEntries(arrays) as Arrays<L> };
}

function load() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  return { memory, loops: instantiate(new URL('kernels.wasm', import.meta.url), memory) as Loops };
}
