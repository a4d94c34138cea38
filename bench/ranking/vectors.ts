import { readFileSync } from 'node:fs';
import { readRaster } from '../../src/analysis/index.ts';
import { describePicture, embed } from '../../src/analysis/analyzers/embedding.ts';
import { runOnWebAssembly } from '../../src/analysis/networks/tensorflow.ts';
import type { Ranking } from './measures.ts';

type Vector = Float32Array | Int8Array;

/** The complete output of the network and the histogram for each picture, and the bytes of it that are stored. */
export async function vectorsOf(files: ReadonlyMap<string, string>) {
  const raw = new Map<string, Vector>();
  const kept = new Map<string, Vector>();
  for (const [name, file] of files) {
    const raster = await readRaster(readFileSync(file));
    raw.set(name, await describePicture(raster, runOnWebAssembly));
    kept.set(name, await embed(raster, runOnWebAssembly));
  }
  return { raw, kept };
}

/** Ranks all pictures except the queried one by the cosine of their vectors. */
export function rankBy(vectors: ReadonlyMap<string, Vector>): (name: string) => Ranking {
  const units = new Map([...vectors].map(([name, vector]) => [name, toUnit(vector)]));
  const memo = new Map<string, Ranking>();
  return (name) => {
    const known = memo.get(name);
    if (known !== undefined) return known;
    const own = units.get(name) as Float64Array;
    const scored = [...units]
      .filter(([other]) => other !== name)
      .map(([other, unit]) => [other, dot(own, unit)] as const);
    const ranking = scored.toSorted((a, b) => b[1] - a[1]).map(([other]) => other);
    memo.set(name, ranking);
    return ranking;
  };
}

function toUnit(vector: Vector): Float64Array {
  const values = Float64Array.from(vector);
  const length = Math.sqrt(dot(values, values)) || 1;
  return values.map((value) => value / length);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += (a[k] as number) * (b[k] as number);
  return sum;
}
