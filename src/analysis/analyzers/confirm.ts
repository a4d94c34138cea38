import type { Box, DetectedObject } from '../facts.ts';
import type { Raster } from '../raster.ts';
import type { RunNetwork } from '../networks/network.ts';
import type { PixelRegion } from '../resample.ts';
import { overlap, round } from './boxes.ts';
import { findObjects, findObjectsIn, withoutRepeats } from './objects.ts';
import type { Detection } from './objects.ts';

/**
 * An object is confirmed if detections at several scales agree: the whole picture, and squares around the object. The
 * detector is small: a single pass takes rocks for sheep and a cat for a dog, but several hardly ever make the same mistake.
 */
const limits = {
  /** Less certain objects are not checked again. */
  candidate: 0.38,
  /** Passes that must agree, and their minimum average; small objects, by fraction of the picture, are easily mistaken. */
  agreeing: 4,
  agreed: { usual: 0.36, small: 0.4 },
  small: 0.01,
  /** Confidence counted for a pass that did not detect the object: half of the detector's minimum. */
  unseen: 0.15,
  /** Confidence that confirms in one pass: people are hardly ever mistaken, some other objects still are at 63 %. */
  sure: { person: 0.6, other: 0.75 },
  /** Minimum overlap of two boxes of the same object. */
  overlap: 0.3,
  /** Number of labels that are checked again, the most certain first. */
  labels: 3,
} as const;

/** Sides of the squares around an object, as multiples of its longer side. They are analyzed as quarters of one picture. */
const views = [1.15, 1.5, 2, 2.6] as const;

/** Finds objects in the picture, the most certain first, and whether each is confirmed. `large` is for the second check. */
export async function findConfirmed(small: Raster, large: Raster, run: RunNetwork): Promise<DetectedObject[]> {
  const found = await findObjects(small, run);
  const doubtful = doubtfulOf(found);
  const settled = new Map<Detection, Detection>();
  for (const thing of doubtful) {
    const seen = await findObjectsIn(
      large,
      views.map((view) => squareOf(thing.box, large, view)),
      run,
    );
    const agreed = agree(thing, seen);
    if (agreed !== null) settled.set(thing, agreed);
  }
  const confirmed = new Set([...settled.values(), ...found.filter(isSure)].map(({ label }) => label));
  const things = found.map((each): DetectedObject => {
    const agreed = settled.get(each);
    if (agreed !== undefined) return { ...agreed, isConfirmed: true };
    // Objects with the label of a confirmed one are confirmed with it, except those whose own check failed.
    return { ...each, isConfirmed: isCandidate(each) && !doubtful.includes(each) && confirmed.has(each.label) };
  });
  return withoutRepeats(things.toSorted((a, b) => b.confidence - a.confidence));
}

/** The most certain object of each label that has no sure one. */
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

/** Returns what most passes detect at an object's place, with their combined confidence; null if they disagree. */
function agree(thing: Detection, others: readonly (readonly Detection[])[]): Detection | null {
  const again = others.map((seen) => seen.find(({ box }) => overlap(box, thing.box) >= limits.overlap) ?? null);
  const attempts = [thing, ...again];
  const least = thing.box.w * thing.box.h < limits.small ? limits.agreed.small : limits.agreed.usual;
  for (const label of new Set(attempts.flatMap((attempt) => attempt?.label ?? []))) {
    const same = attempts.filter((attempt) => attempt?.label === label);
    const sum = attempts.reduce(
      (all, attempt) => all + (attempt?.label === label ? attempt.confidence : limits.unseen),
      0,
    );
    if (same.length >= limits.agreeing && sum / attempts.length >= least) {
      return { label, box: thing.box, confidence: round(sum / attempts.length) };
    }
  }
  return null;
}
