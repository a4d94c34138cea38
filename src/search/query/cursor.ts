import { AppError } from '../../lib/errors.ts';

/** The position of a row in an order: its sort key as text, and its id. */
export type CursorPlace = Readonly<{ key: string | null; id: string }>;

/** The order that a cursor belongs to. It is invalid in any other. */
export type CursorOrder = Readonly<{ column: string; order: string }>;

/** Returns an opaque text that identifies the row after which the next page starts. */
export function encodeCursor({ column, order }: CursorOrder, { key, id }: CursorPlace): string {
  return Buffer.from(JSON.stringify([column, order, key, id])).toString('base64url');
}

/** @throws AppError `invalid_argument` if the text is not a cursor of this order. */
export function decodeCursor(text: string, { column, order }: CursorOrder): CursorPlace {
  try {
    const [ownColumn, ownOrder, key, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const isPlace = (key === null || typeof key === 'string') && typeof id === 'string';
    if (ownColumn === column && ownOrder === order && isPlace) return { key, id };
  } catch {
    // Not JSON, so not a cursor of ours: reported below.
  }
  throw invalidCursor();
}

export function invalidCursor(): AppError {
  const message = 'The cursor does not match this query and order';
  return new AppError('invalid_argument', message, { argument: 'cursor' });
}
