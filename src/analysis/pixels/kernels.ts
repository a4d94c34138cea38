import { instantiate } from '../../lib/instantiate.ts';

/** SIMD loops over pixels; addresses are byte offsets in their memory. The build compiles `kernels.wat`. */
export type Loops = Readonly<{
  /** Writes `stride` floats to `line`: weighted sums of bytes in `count` rows. `stride` is rounded up to multiples of 16. */
  sumRows: (line: number, source: number, stride: number, weights: number, count: number) => void;
  /**
   * Writes `count` pixels of three floats: each is its `ground` plus a weighted sum of pixels of `line` (`step` bytes each),
   * from its `first` on; its weights are those from its entry in `starts` to the next entry. Writes a fourth float after the
   * last pixel.
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
  /** Writes the lightness (luma of ITU-R BT.601) of pixels of `step` bytes. */
  gray: (out: number, source: number, step: number, count: number) => void;
  /** Writes the integral image, with a row and a column of zeros first. `width` and `height` must be above 0. */
  sums: (out: number, gray: number, width: number, height: number) => void;
  /**
   * Compares each pixel of a row, times `count`, with the sum of its rectangle: 1 if less by more than `least`, 2 if more by
   * that much, else 0. The corners of the first rectangle are addresses of sums; `columns` is rounded up to a multiple of 4.
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
/** Loops read and write whole blocks, so up to this many bytes past the end of an array. */
const margin = 64;

let loaded: Readonly<{ memory: WebAssembly.Memory; loops: Loops }> | undefined;

/** Creates arrays in the memory of the loops. They have arbitrary contents and are valid until the next call. */
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
