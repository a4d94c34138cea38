import { groundFraction, lumaCorrelation, pdqDistance, regionHashBytes } from '../../analysis/index.ts';
import type { Thresholds } from './tiers.ts';

/** Features that tell forms, pages or signs of one design apart from copies of one picture. */
export type FormFeatures = Readonly<{
  /** Hashes of parts; without them there is no decision. */
  regions?: Uint8Array;
  /** Brightness in 48 × 48 cells, if known. */
  luma: Uint8Array | null;
}>;

type Limits = Pick<Thresholds, 'otherForm' | 'onGround'>;

/** Whether a part differs so much that pixels must be compared; false if the hashes of parts are unknown. */
export function isPartDoubtful(a: Uint8Array | undefined, b: Uint8Array | undefined, { otherForm }: Limits): boolean {
  if (a === undefined || b === undefined) return false;
  for (let at = 0; at < a.length; at += regionHashBytes) {
    const end = at + regionHashBytes;
    if (pdqDistance(a.subarray(at, end), b.subarray(at, end)) > otherForm.part) return true;
  }
  return false;
}

/** Whether two pictures with near hashes are two forms of one design; false if their pixels are unknown. */
export function isOtherForm(a: FormFeatures, b: FormFeatures, limits: Limits): boolean {
  if (a.luma === null || b.luma === null || !isPartDoubtful(a.regions, b.regions, limits)) return false;
  return (
    isPlain(a.luma, limits) && isPlain(b.luma, limits) && lumaCorrelation(a.luma, b.luma) < limits.otherForm.correlation
  );
}

/** Whether most of a picture has the same brightness. */
export function isPlain(luma: Uint8Array, { onGround }: Limits): boolean {
  return groundFraction({ luma }) >= onGround.share;
}
