import { distanceBounds, parseDistances } from '../../tenants/index.ts';
import type { Distances } from '../../tenants/index.ts';
import { falseMatchesOf, recallOf } from './calibrate.ts';
import type { Trial } from './calibrate.ts';

/** Minimum number of pictures: fewer are not representative of a catalog. */
const leastPictures = 10;
/** The fraction of pixel-near edits that `i===` must find, and of edits of the same picture that `i==` must find. */
const leastRecall = 0.9;

/** Why a tenant must not use these distances, judged by the results on its own pictures; empty if it may. */
export function faultsOfDistances({ near, same }: Distances, pictures: number, trials: readonly Trial[]): string[] {
  const faults: string[] = [];
  if (parseDistances(`${near},${same}`) === null) {
    const { near: n, same: s } = distanceBounds;
    faults.push(`distances lie within ${n.min} to ${n.max} and ${s.min} to ${s.max}, the first less than the second`);
  }
  if (pictures < leastPictures) faults.push(`${pictures} pictures are too few: at least ${leastPictures} are needed`);
  for (const { operator, wrong } of falseMatchesOf(trials)) {
    if (operator !== '=' && wrong > 0) faults.push(`i${operator} matched ${wrong} edits with another picture`);
  }
  for (const { operator, trials: tried, found } of recallOf(trials)) {
    if (operator === '=' || tried === 0 || found / tried >= leastRecall) continue;
    const share = Math.floor((100 * found) / tried);
    faults.push(`i${operator} found ${share} % of its duplicates, less than ${100 * leastRecall} %`);
  }
  return faults;
}
