import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { SetupError } from '../../lib/errors.ts';

/** Progress of a move, by kind of record; it is kept across processes. */
export type MoveState = Readonly<{
  /** Cursor to continue after, at the last stored page; null at the beginning. */
  cursorOf(kind: string): string | null;
  isDone(kind: string): boolean;
  /** Records that everything before a cursor is stored; null means everything. */
  note(kind: string, cursor: string | null): Promise<void>;
  remove(): Promise<void>;
}>;

const content = z.object({ of: z.string(), cursors: z.record(z.string(), z.string().nullable()) });

/**
 * Opens the state of a move.
 *
 * @param of source and target; the file of another move is refused.
 * @throws SetupError for that, and if the file cannot be read
 */
export async function openState(path: string, of: string): Promise<MoveState> {
  const cursors = new Map(Object.entries(await read(path, of)));
  return {
    cursorOf: (kind) => cursors.get(kind) ?? null,
    isDone: (kind) => cursors.get(kind) === null,
    async note(kind, cursor) {
      cursors.set(kind, cursor);
      const unfinished = `${path}.part`;
      await writeFile(unfinished, JSON.stringify({ of, cursors: Object.fromEntries(cursors) }));
      await rename(unfinished, path);
    },
    remove: () => rm(path, { force: true }),
  };
}

async function read(path: string, of: string): Promise<Readonly<Record<string, string | null>>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new SetupError(`${path} cannot be read: ${error.message}`);
  });
  if (text === null) return {};
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    found = null;
  }
  const { data } = content.safeParse(found);
  if (data?.of === of) return data.cursors;
  throw new SetupError(`${path} belongs to another move. Name another file with --state, or remove it.`);
}
