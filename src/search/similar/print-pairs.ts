import { lumaSide, pdqDistance, regionBytes } from '../../vision/index.ts';
import type { Gallery, GroupOptions, Prints } from './gallery.ts';
import { isOtherPrint } from './other-print.ts';
import type { Printed } from './other-print.ts';

export const lumaBytes = lumaSide ** 2;

/** The hash of a place. */
export function hashAt({ hashes }: Pick<Gallery, 'hashes'>, place: number): Uint8Array {
  return hashes.subarray(place * 32, place * 32 + 32);
}

/** Whether two places that are near by hash are two of one print, as searches hold them for. */
export function isOfOtherPrint(gallery: Gallery, options: GroupOptions, a: number, b: number): boolean {
  const { prints } = gallery;
  if (prints === null) return false;
  const [one, two] = [printAt(prints, a), printAt(prints, b)];
  if (one === null || two === null) return false;
  const { doubtBeyond = options.distance } = options;
  if (pdqDistance(hashAt(gallery, a), hashAt(gallery, b)) <= doubtBeyond) return false;
  return isOtherPrint(one, two, prints.thresholds);
}

function printAt({ slots, regions, lumas }: Prints, place: number): Printed | null {
  const slot = slots[place] as number;
  if (slot < 0) return null;
  return {
    regions: regions.subarray(slot * regionBytes, (slot + 1) * regionBytes),
    luma: lumas.subarray(slot * lumaBytes, (slot + 1) * lumaBytes),
  };
}
