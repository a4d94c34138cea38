import type { Shape, Stage } from '../exchange.ts';
import { request } from '../request.ts';
import type { RequestParts } from '../request.ts';

/** A shape by itself, whose weight is 1 unless it says otherwise. */
export type Row = Omit<Shape, 'name' | 'weight'> & Partial<Pick<Shape, 'weight'>>;

/** The shapes of a table. */
export function toShapes(rows: Readonly<Record<string, Row>>): Shape[] {
  return Object.entries(rows).map(([name, row]) => ({ name, weight: 1, ...row }));
}

/** One request as an honest client sends it. */
export async function ask({ target, play }: Stage, parts: RequestParts): Promise<void> {
  await play({ parts: request(target, parts), isHead: parts.method === 'HEAD' });
}

export function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
