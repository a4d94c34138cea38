import { lumaSide, pdqDistance, regionBytes } from '../../analysis/index.ts';
import type { DuplicateCandidates, GroupOptions, FormTemplates } from './candidates.ts';
import { isOtherForm } from '../compare/other-form.ts';
import type { FormFeatures } from '../compare/other-form.ts';

export const lumaBytes = lumaSide ** 2;

/** The hash of a place. */
export function hashAt({ hashes }: Pick<DuplicateCandidates, 'hashes'>, place: number): Uint8Array {
  return hashes.subarray(place * 32, place * 32 + 32);
}

/** Whether two places with near hashes are two forms of one design, by the same rule as in searches. */
export function areOtherForms(candidates: DuplicateCandidates, options: GroupOptions, a: number, b: number): boolean {
  const { formTemplates } = candidates;
  if (formTemplates === null) return false;
  const [one, two] = [templateAt(formTemplates, a), templateAt(formTemplates, b)];
  if (one === null || two === null) return false;
  const { doubtBeyond = options.distance } = options;
  if (pdqDistance(hashAt(candidates, a), hashAt(candidates, b)) <= doubtBeyond) return false;
  return isOtherForm(one, two, formTemplates.thresholds);
}

function templateAt({ slots, regions, lumas }: FormTemplates, place: number): FormFeatures | null {
  const slot = slots[place] as number;
  if (slot < 0) return null;
  return {
    regions: regions.subarray(slot * regionBytes, (slot + 1) * regionBytes),
    luma: lumas.subarray(slot * lumaBytes, (slot + 1) * lumaBytes),
  };
}
