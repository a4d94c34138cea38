import type { Shape, Stage } from '../exchange.ts';
import { jsonType, request } from '../request.ts';
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

/** A batch of images that an editor sends. */
export function write(stage: Stage, body: Buffer, changes: Partial<RequestParts> = {}): Promise<void> {
  return ask(stage, { method: 'POST', path: '/imgs', key: 'editor', type: jsonType, body, ...changes });
}

/** A document that a viewer sends. */
export function query(stage: Stage, body: Buffer): Promise<void> {
  return ask(stage, { method: 'POST', path: '/graphql', key: 'viewer', type: jsonType, body });
}

export function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
