import type { Box, DetectedObject } from '../facts.ts';
import type { Raster } from '../raster.ts';
import type { PixelRegion } from '../resample.ts';
import { overlap, round } from './boxes.ts';
import { findObjects, findObjectsIn, withoutRepeats } from './objects.ts';
import type { Detection } from './objects.ts';

/**
 * A thing counts as seen where looks at several scales agree: the whole picture, and squares around the thing. The detector
 * is small: one look takes rocks for sheep and a cat for a dog, and hardly ever do several make the same mistake.
 */
const limits = {
  /** Less sure things are not looked at again. */
  candidate: 0.38,
  /** Looks that must see the same, and what all come to on average; small things, as a share of the picture, are easily mistaken. */
  agreeing: 4,
  agreed: { usual: 0.36, small: 0.4 },
  small: 0.01,
  /** What a look counts that did not see the thing: half of what the detector tells at least. */
  unseen: 0.15,
  /** Sure by one look: people are hardly ever mistaken, of other things some still are at 63 %. */
  sure: { person: 0.6, other: 0.75 },
  /** How much of both boxes is the same where two looks mean the same thing. */
  overlap: 0.3,
  /** Labels that are looked at again, the surest first. */
  labels: 3,
} as const;

/** Sides of the squares around a thing, in its longer sides. All are looked at together, as quarters of one picture. */
const views = [1.15, 1.5, 2, 2.6] as const;

/** Things in the picture, the surest first, each with whether it was confirmed. `large` is for what is looked at again. */
export async function findConfirmed(small: Raster, large: Raster): Promise<DetectedObject[]> {
  const found = await findObjects(small);
  const doubtful = doubtfulOf(found);
  const settled = new Map<Detection, Detection>();
  for (const thing of doubtful) {
    const seen = await findObjectsIn(
      large,
      views.map((view) => squareOf(thing.box, large, view)),
    );
    const agreed = agree(thing, seen);
    if (agreed !== null) settled.set(thing, agreed);
  }
  const confirmed = new Set([...settled.values(), ...found.filter(isSure)].map(({ label }) => label));
  const things = found.map((each): DetectedObject => {
    const agreed = settled.get(each);
    if (agreed !== undefined) return { ...agreed, isConfirmed: true };
    // What is like a confirmed thing is told with it, but for what was looked at by itself in vain.
    return { ...each, isConfirmed: isCandidate(each) && !doubtful.includes(each) && confirmed.has(each.label) };
  });
  return withoutRepeats(things.toSorted((a, b) => b.confidence - a.confidence));
}

/** The surest thing of each label of which none is sure. */
function doubtfulOf(found: readonly Detection[]): Detection[] {
  const labels = [...new Set(found.filter(isCandidate).map(({ label }) => label))];
  return labels
    .map((label) => found.find((each) => each.label === label) as Detection)
    .filter((each) => !isSure(each))
    .slice(0, limits.labels);
}

function isCandidate({ confidence }: Detection): boolean {
  return confidence >= limits.candidate;
}

function isSure({ label, confidence }: Detection): boolean {
  return confidence >= limits.sure[label === 'person' ? 'person' : 'other'];
}

function squareOf(box: Box, { width, height }: Raster, view: number): PixelRegion {
  const side = Math.max(box.w * width, box.h * height) * view;
  return {
    x: (box.x + box.w / 2) * width - side / 2,
    y: (box.y + box.h / 2) * height - side / 2,
    width: side,
    height: side,
  };
}

/** What most looks see at the place of a thing, as surely as all of them together; null where they do not agree. */
function agree(thing: Detection, others: readonly (readonly Detection[])[]): Detection | null {
  const again = others.map((seen) => seen.find(({ box }) => overlap(box, thing.box) >= limits.overlap) ?? null);
  const looks = [thing, ...again];
  const least = thing.box.w * thing.box.h < limits.small ? limits.agreed.small : limits.agreed.usual;
  for (const label of new Set(looks.flatMap((look) => look?.label ?? []))) {
    const same = looks.filter((look) => look?.label === label);
    const sum = looks.reduce((all, look) => all + (look?.label === label ? look.confidence : limits.unseen), 0);
    if (same.length >= limits.agreeing && sum / looks.length >= least) {
      return { label, box: thing.box, confidence: round(sum / looks.length) };
    }
  }
  return null;
}
