import type { Kernels } from '../../src/similarity/index/wasm/kernels.ts';

/** The kernels in plain TypeScript, which those in WebAssembly are compared with. */
export function plainKernels(buffer: ArrayBufferLike): Kernels {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  return {
    hamming(queries, queryCount, rows, count, out) {
      for (let row = 0; row < count; row += 1) {
        let best = 0xffff;
        for (let query = 0; query < queryCount; query += 1) {
          best = Math.min(best, differingBits(bytes, queries + query * 32, rows + row * 32, 32));
        }
        view.setUint16(out + row * 2, best, true);
      }
    },
    pairs(a, countA, b, countB, atMost, out) {
      let end = out + 4;
      for (let row = 0; row < countA; row += 1) {
        for (let other = 0; other < countB; other += 1) {
          if (differingBits(bytes, a + row * 32, b + other * 32, 32) > atMost) continue;
          view.setUint32(end, row, true);
          view.setUint32(end + 4, other, true);
          end += 8;
        }
      }
      view.setUint32(out, end - out, true);
    },
    regions(queries, ends, regionCount, rows, count, out) {
      for (let row = 0; row < count; row += 1) {
        let best = 0xffff;
        let query = queries;
        for (let region = 0; region < regionCount; region += 1) {
          const end = view.getUint32(ends + region * 4, true);
          for (; query < end; query += 8) {
            best = Math.min(best, differingBits(bytes, query, rows + (row * regionCount + region) * 8, 8));
          }
        }
        view.setUint16(out + row * 2, best, true);
      }
    },
    dot(query, chunks, rows, count, out) {
      const dimensions = chunks * 16;
      for (let row = 0; row < count; row += 1) {
        let sum = 0;
        for (let k = 0; k < dimensions; k += 1) {
          sum += view.getInt16(query + k * 2, true) * view.getInt8(rows + row * dimensions + k);
        }
        view.setInt32(out + row * 4, sum, true);
      }
    },
  };
}

const bitsOf = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function differingBits(bytes: Uint8Array, a: number, b: number, length: number): number {
  let distance = 0;
  for (let k = 0; k < length; k += 1) distance += bitsOf[(bytes[a + k] as number) ^ (bytes[b + k] as number)] as number;
  return distance;
}
