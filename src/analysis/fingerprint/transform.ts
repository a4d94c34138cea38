/** A projective map of the plane: nine numbers, row by row, the last one 1. */
export type Transform = readonly number[];
export type Point = readonly [x: number, y: number];
/** A point of one picture and the corresponding point of another. */
export type Pair = Readonly<{ from: Point; to: Point }>;

/** Maps a point. */
export function apply(t: Transform, [x, y]: Point): Point {
  const w = n(t, 6) * x + n(t, 7) * y + n(t, 8);
  return [(n(t, 0) * x + n(t, 1) * y + n(t, 2)) / w, (n(t, 3) * x + n(t, 4) * y + n(t, 5)) / w];
}

/** The inverse map, or null if there is none. */
export function invert(t: Transform): Transform | null {
  const [a, b, c, d, e, f, g, h, i] = t as [number, number, number, number, number, number, number, number, number];
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const last = a * e - b * d;
  if (Math.abs(determinant) < 1e-12 || Math.abs(last) < 1e-12) return null;
  const rows = [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f];
  return [...rows, d * h - e * g, b * g - a * h, last].map((value) => value / last);
}

/** Scale, rotation and translation that map two points to two others; null if two points coincide. */
export function similarityOf(one: Pair, two: Pair): Transform | null {
  const [dx, dy] = [two.from[0] - one.from[0], two.from[1] - one.from[1]];
  const [ex, ey] = [two.to[0] - one.to[0], two.to[1] - one.to[1]];
  const length = dx * dx + dy * dy;
  if (length < 1 || ex * ex + ey * ey < 1) return null;
  const [a, b] = [(ex * dx + ey * dy) / length, (ey * dx - ex * dy) / length];
  const [x, y] = one.from;
  return [a, -b, one.to[0] - a * x + b * y, b, a, one.to[1] - b * x - a * y, 0, 0, 1];
}

/** The affine map that best fits the pairs; null if they lie on a line. */
export function fitAffine(pairs: readonly Pair[]): Transform | null {
  const rows = pairs.flatMap(({ from: [x, y], to: [u, v] }) => [
    [x, y, 1, 0, 0, 0, u],
    [0, 0, 0, x, y, 1, v],
  ]);
  const solution = leastSquares(rows, 6);
  return solution && [...solution, 0, 0, 1];
}

/** The projective map (homography) that best fits the pairs; null if they do not determine one. */
export function fitProjective(pairs: readonly Pair[]): Transform | null {
  const rows = pairs.flatMap(({ from: [x, y], to: [u, v] }) => [
    [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
    [0, 0, 0, x, y, 1, -v * x, -v * y, v],
  ]);
  const solution = leastSquares(rows, 8);
  return solution && [...solution, 1];
}

/** Solves the normal equations of rows whose last number is the right side. */
function leastSquares(rows: readonly (readonly number[])[], unknowns: number): number[] | null {
  const matrix = Array.from({ length: unknowns }, (_, i) =>
    Array.from({ length: unknowns + 1 }, (_, j) => rows.reduce((sum, row) => sum + n(row, i) * n(row, j), 0)),
  );
  for (let column = 0; column < unknowns; column += 1) {
    const below = matrix.slice(column);
    const pivot = below.reduce((a, b) => (Math.abs(n(b, column)) > Math.abs(n(a, column)) ? b : a));
    if (Math.abs(n(pivot, column)) < 1e-9) return null;
    matrix.splice(matrix.indexOf(pivot), 1);
    matrix.splice(column, 0, pivot);
    for (const row of matrix) {
      if (row === pivot) continue;
      const factor = n(row, column) / n(pivot, column);
      for (let j = column; j <= unknowns; j += 1) row[j] = n(row, j) - factor * n(pivot, j);
    }
  }
  return matrix.map((row, i) => n(row, unknowns) / n(row, i));
}

function n(values: readonly number[], at: number): number {
  return values[at] as number;
}
