import type { LocalFeatures } from './local-features.ts';
import { matchFeatures } from './match-features.ts';
import type { FeatureMatch } from './match-features.ts';
import { apply, fitAffine, fitProjective, similarityOf } from './transform.ts';
import type { Pair, Point, Transform } from './transform.ts';

/** How one picture maps onto another, according to their corners. Coordinates are fractions of width and height. */
export type Alignment = Readonly<{
  /** Maps points of the first picture to the second, both in fractions of their size. */
  transform: Transform;
  /** Clockwise rotation of the first picture in degrees, and its magnification. */
  degrees: number;
  scale: number;
  /** Number of corner pairs that agree with the transform. */
  inliers: number;
  /** Number of corners that have a counterpart at all. */
  matches: number;
}>;

/** Number of best matches; only pairs of these are tried as a first guess. */
const guessed = 48;
const fewest = 6;
/** Tolerance between a corner and its expected position, in pixels of a raster of 512. */
const loose = 8;
const tight = 5;

/**
 * Finds the transform that most matched corners agree with. Every pair of the best matches is tried
 * as a guess, so the result is deterministic.
 */
export function align(a: LocalFeatures, b: LocalFeatures): Alignment | null {
  const matches = matchFeatures(a, b);
  if (matches.length < fewest) return null;
  const pairs = matches.map((match) => toPair(a, b, match));
  const guess = bestGuess(pairs);
  if (guess === null) return null;
  const refined = refine(guess, pairs);
  if (refined === null || !isPlausible(refined, a)) return null;
  const inliers = agreeing(refined, pairs, tight).length;
  if (inliers < fewest) return null;
  const [across, , , down] = refined as [number, number, number, number];
  return {
    transform: toFractions(refined, a, b),
    degrees: (Math.atan2(down, across) * 180) / Math.PI,
    scale: Math.hypot(across, down),
    inliers,
    matches: matches.length,
  };
}

type Oriented = Pair & Readonly<{ angle: number }>;

function toPair(a: LocalFeatures, b: LocalFeatures, { from, to }: FeatureMatch): Oriented {
  const at = (features: LocalFeatures, k: number): Point => [
    features.points[k * 3] as number,
    features.points[k * 3 + 1] as number,
  ];
  const angle = (b.points[to * 3 + 2] as number) - (a.points[from * 3 + 2] as number);
  return { from: at(a, from), to: at(b, to), angle };
}

function bestGuess(pairs: readonly Oriented[]): Transform | null {
  const tried = pairs.slice(0, guessed);
  let best: Transform | null = null;
  let most = fewest - 1;
  for (const [i, one] of tried.entries()) {
    for (const two of tried.slice(i + 1)) {
      const guess = similarityOf(one, two);
      if (guess === null || !rotatesLike(guess, one) || !rotatesLike(guess, two)) continue;
      const count = countAgreeing(guess, pairs, loose);
      if (count > most) [best, most] = [guess, count];
    }
  }
  return best;
}

/** Corners have an orientation: a guess that rotates them differently agrees only by chance. */
function rotatesLike([cosine = 0, , , sine = 0]: Transform, { angle }: Oriented): boolean {
  const off = Math.atan2(sine, cosine) - angle;
  return Math.cos(off) > Math.cos(Math.PI / 5);
}

function refine(guess: Transform, pairs: readonly Pair[]): Transform | null {
  const affine = fitAffine(agreeing(guess, pairs, loose));
  if (affine === null) return null;
  const close = agreeing(affine, pairs, tight);
  const again = close.length >= fewest ? fitAffine(close) : null;
  if (again === null) return affine;
  const settled = agreeing(again, pairs, tight);
  const projective = settled.length >= 3 * fewest ? fitProjective(settled) : null;
  const gain = projective === null ? 0 : countAgreeing(projective, pairs, tight) - settled.length;
  return gain > 2 ? projective : again;
}

function agreeing(transform: Transform, pairs: readonly Pair[], tolerance: number): Pair[] {
  return pairs.filter((pair) => isNear(transform, pair, tolerance));
}

function countAgreeing(transform: Transform, pairs: readonly Pair[], tolerance: number): number {
  let count = 0;
  for (const pair of pairs) if (isNear(transform, pair, tolerance)) count += 1;
  return count;
}

/** Like `apply`, but without creating points: this is the hottest code. */
function isNear(transform: Transform, { from, to }: Pair, tolerance: number): boolean {
  const [a, b, c, d, e, f, g, h, i] = transform as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [x, y] = from;
  const w = g * x + h * y + i;
  const dx = (a * x + b * y + c) / w - to[0];
  const dy = (d * x + e * y + f) / w - to[1];
  return dx * dx + dy * dy <= tolerance * tolerance;
}

/** Whether a transform is plausible: it may scale and slant a little, but neither mirror nor fold. */
function isPlausible(transform: Transform, { width, height }: LocalFeatures): boolean {
  const corners: Point[] = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
  const moved = corners.map((corner) => apply(transform, corner));
  const sides = moved.map((point, k) => {
    const next = moved[(k + 1) % 4] as Point;
    return [next[0] - point[0], next[1] - point[1]] as const;
  });
  const isConvex = sides.every(([dx, dy], k) => {
    const [ex, ey] = sides[(k + 1) % 4] as Point;
    return dx * ey - dy * ex > 0;
  });
  const across = Math.hypot(...(sides[0] as Point)) / width;
  const down = Math.hypot(...(sides[1] as Point)) / height;
  return isConvex && across > 0.12 && across < 8 && down > 0.12 && down < 8 && across / down > 0.5 && across / down < 2;
}

function toFractions(t: Transform, a: LocalFeatures, b: LocalFeatures): Transform {
  const scale = [a.width / b.width, a.height / b.width, 1 / b.width];
  const rows = [a.width / b.height, a.height / b.height, 1 / b.height];
  const last = [a.width, a.height, 1];
  return t.map((value, k) => value * ([...scale, ...rows, ...last][k] as number));
}
