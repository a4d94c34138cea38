// What undoing an operation makes of the records of one id.

/** What is done with fields that others have changed since. */
export type Rule = 'skip' | 'overwrite' | 'fail';

/** A record of the model; one that comes back is in its former row. */
export type Entry = Readonly<{ row: number }>;

/** What an operation made of one row. */
export type Effect<E extends Entry> = Readonly<{ id: string; before: E | undefined; after: E | undefined }>;

/** What an undo leaves of an id, and whether anything stays because others have changed it since. */
export type Undone<E extends Entry> = Readonly<{ entry: E | undefined; isConflict: boolean }>;

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** @param now the record that has the id; @param effects what the operation that is undone made of its rows */
export function undoEffects<E extends Entry>(
  now: E | undefined,
  effects: readonly Effect<E>[],
  rule: Rule,
  fields: readonly (keyof E)[],
): Undone<E> {
  const isMade = ({ before }: Effect<E>) => before === undefined;
  const ordered = [...effects.filter(isMade), ...effects.filter((effect) => !isMade(effect))];
  let result: Undone<E> = { entry: now, isConflict: false };
  for (const effect of ordered) {
    const { entry, isConflict } = undoEffect(result.entry, effect, rule, fields);
    result = { entry, isConflict: isConflict || result.isConflict };
  }
  return result;
}

function undoEffect<E extends Entry>(
  now: E | undefined,
  { before, after }: Effect<E>,
  rule: Rule,
  fields: readonly (keyof E)[],
): Undone<E> {
  const done = (entry: E | undefined) => ({ entry, isConflict: false });
  const conflict = { entry: now, isConflict: true };
  if (before === undefined) {
    if (now === undefined || now.row !== after?.row) return done(now);
    const isAsLeft = fields.every((field) => same(now[field], after[field]));
    return isAsLeft || rule === 'overwrite' ? done(undefined) : conflict;
  }
  if (now?.row === before.row) return putBack(now, before, after, rule, fields);
  if (after !== undefined) return conflict; // Deleted since.
  return now === undefined || rule === 'overwrite' ? done(before) : conflict;
}

function putBack<E extends Entry>(
  now: E,
  before: E,
  after: E | undefined,
  rule: Rule,
  fields: readonly (keyof E)[],
): Undone<E> {
  const different = fields.filter((field) => !same(before[field], after?.[field]) && !same(now[field], before[field]));
  const mine = different.filter((field) => rule === 'overwrite' || (after && same(now[field], after[field])));
  const former = Object.fromEntries(mine.map((field) => [field, before[field]]));
  return { entry: { ...now, ...former }, isConflict: mine.length < different.length };
}
