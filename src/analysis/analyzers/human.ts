import type { Face } from '../facts.ts';
import type { Raster } from '../raster.ts';
import { fractionInside } from './boxes.ts';
import type { RunNetwork } from '../networks/network.ts';
import { findObjects } from './objects.ts';
import type { Detection } from './objects.ts';

/** Animals that may have what looks like a face. */
const animals: ReadonlySet<string> = new Set(
  'bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,teddy bear'.split(','),
);
/** Size of the checked area, in sizes of the face: a person to the waist, and if nothing is found there, the head. */
const views = [4, 2.5] as const;
const limits = { sure: 0.85, inside: 0.6, checks: 4 } as const;

/**
 * Drops faces that are more likely an animal's or nobody's: an uncertain face is kept only if the object
 * detector finds a person around it, with more confidence than any animal, there and in the whole picture.
 */
export async function humanFaces(raster: Raster, faces: readonly Face[], run: RunNetwork): Promise<Face[]> {
  const kept: Face[] = [];
  let checks = 0;
  let whole: Promise<Detection[]> | undefined;
  for (const face of faces) {
    const isDoubtful = face.confidence < limits.sure && checks < limits.checks;
    if (isDoubtful) checks += 1;
    if (!isDoubtful || (await isHuman(raster, face, { run, whole: () => (whole ??= findObjects(raster, run)) })))
      kept.push(face);
  }
  return kept;
}

/** Runs the detector; `whole` runs it on the whole picture, only once. */
type Detecting = Readonly<{ run: RunNetwork; whole: () => Promise<readonly Detection[]> }>;

async function isHuman(raster: Raster, face: Face, { run, whole }: Detecting): Promise<boolean> {
  for (const view of views) {
    const { person, animal } = await detectAround(raster, face, view, run);
    if (person === 0 && animal === 0) continue;
    // An animal that fills the picture is hardly recognized from a part of its head.
    return person > animal && person > bestDetections(face, await whole()).animal;
  }
  return false;
}

/** Confidence of a person and of an animal in a square around a face, `view` times its size. */
async function detectAround(raster: Raster, { box }: Face, view: number, run: RunNetwork) {
  const [width, height] = [box.w * raster.width, box.h * raster.height];
  const side = Math.max(width, height) * view;
  const [x, y] = [box.x * raster.width + (width - side) / 2, box.y * raster.height + (height - side) / 2];
  const seen = await findObjects(raster, run, { x, y, width: side, height: side });
  return bestDetections({ box }, seen);
}

function bestDetections({ box }: Pick<Face, 'box'>, seen: readonly Detection[]) {
  const around = seen.filter((each) => fractionInside(box, each.box) >= limits.inside);
  const best = (is: (each: Detection) => boolean) =>
    around.filter(is).reduce((most, { confidence }) => Math.max(most, confidence), 0);
  return { person: best(({ label }) => label === 'person'), animal: best(({ label }) => animals.has(label)) };
}
