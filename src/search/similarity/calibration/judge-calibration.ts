import { distanceBounds, parseDistances } from '../../../tenants/index.ts';
import type { Distances } from '../../../tenants/index.ts';
import { falseMatchesOf, recallOf } from './calibrate.ts';
import type { Trial } from './calibrate.ts';

/** Fewer pictures say too little of a catalog. */
const leastPictures = 10;
/** The share of pixel-near edits that `i===` must find, and of the same picture that `i==` must. */
const leastRecall = 0.9;

/** Why distances must not become a tenant's own, judged by what they did to its pictures; empty where they may. */
export function faultsOfDistances({ near, same }: Distances, pictures: number, trials: readonly Trial[]): string[] {
  const faults: string[] = [];
  if (parseDistances(`${near},${same}`) === null) {
    const { near: n, same: s } = distanceBounds;
    faults.push(`distances lie within ${n.min} to ${n.max} and ${s.min} to ${s.max}, the first below the second`);
  }
  if (pictures < leastPictures)
    faults.push(`${pictures} pictures say too little: at least ${leastPictures} are needed`);
  for (const { operator, wrong } of falseMatchesOf(trials)) {
    if (operator !== '=' && wrong > 0) faults.push(`i${operator} took ${wrong} edits for another picture`);
  }
  for (const { operator, trials: tried, found } of recallOf(trials)) {
    if (operator === '=' || tried === 0 || found / tried >= leastRecall) continue;
    const share = Math.floor((100 * found) / tried);
    faults.push(`i${operator} found ${share} % of what it must find, less than ${100 * leastRecall} %`);
  }
  return faults;
}
