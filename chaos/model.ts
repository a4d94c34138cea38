// What the catalog must be: a plain map and the rules of writes, applied one operation after the other.
import { chunkSize } from '../src/operations/limits.ts';
import { undoEffects } from './undo.ts';
import type { Effect, Entry, Rule } from './undo.ts';

/** What the program remembers of a record. */
export type Picture = Readonly<{ title: string; width: number }>;

/** What the model remembers of it, too: `file` tells files apart, as the service does. */
export type Modeled = Picture & Entry & Readonly<{ file: string }>;

/** The records by their ids, and what each operation made of them. */
export type Model = Readonly<{
  catalog: Map<string, Modeled>;
  effects: Map<number, readonly Effect<Modeled>[]>;
  /** Whether the service tells files apart by reading them: of two readings, each is another file. */
  readsAnew: boolean;
}>;

/** Fields by which others are noticed, and which an undo puts back. */
const fields = ['title', 'width', 'file'] as const;

/** What is wrong with an element from the start, if anything; each leads to one code. */
export type Flaw = 'invalid_field' | 'source_conflict' | 'source_unreachable' | 'unsupported_media';

export type Action = 'create' | 'replace' | 'upsert' | 'update' | 'delete';

export type Element = Readonly<{ id: string; title: string; width: number; flaw: Flaw | null }>;

export type RecordsWrite = Readonly<{
  action: Action;
  elements: readonly Element[];
  strict: boolean;
  urgent: boolean;
}>;

/** The undoing of an operation. */
export type UndoWrite = Readonly<{ action: 'undo'; target: number; rule: Rule; strict: boolean; urgent: boolean }>;

export type Write = RecordsWrite | UndoWrite;

/** The record of an operation, as far as it is compared. */
export type OperationRecord = Readonly<{
  operation_id: number;
  method: string;
  num_total: number;
  num_good: number;
  num_bad: number;
  is_finished: boolean;
  is_aborted: boolean;
  all_good: boolean | null;
  do_strict: boolean;
  do_urgent: boolean;
  started_at: string | null;
  finished_at: string | null;
  errors: readonly Readonly<{ id: number; ref: string; code: string }>[];
  /** The operation that it undoes, as the audit trail says. */
  undoes?: number;
}>;

/** What becomes of one element: why it fails, and what record it leaves, which may be none; null where it does nothing. */
type Outcome = Readonly<{
  id: string;
  code: string | null;
  leaves: Readonly<{ entry: Modeled | undefined }> | null;
}>;

/** Errors that show before a source is read come before those that only reading shows. */
const laterFlaws: readonly (Flaw | null)[] = ['source_unreachable', 'unsupported_media'];

function codeOf(
  { action, elements }: RecordsWrite,
  position: number,
  isSeen: boolean,
  catalog: ReadonlyMap<string, Picture>,
): string | null {
  const element = elements[position];
  if (element === undefined) return null;
  const { id, flaw } = element;
  if (isSeen) return 'duplicate_in_batch';
  if (flaw !== null && !laterFlaws.includes(flaw)) return flaw;
  if (action === 'create' && catalog.has(id)) return 'already_exists';
  if (action !== 'create' && action !== 'upsert' && !catalog.has(id)) return 'not_found';
  return flaw;
}

/** What a write makes of each of its elements when it meets this catalog. */
function outcomesOf({ catalog, readsAnew }: Model, write: RecordsWrite, nextRow: () => number): Outcome[] {
  const seen = new Set<string>();
  return write.elements.map(({ id, title, width }, position): Outcome => {
    const code = codeOf(write, position, seen.has(id), catalog);
    const before = catalog.get(id);
    seen.add(id);
    if (code !== null) return { id, code, leaves: null };
    if (write.action === 'delete') return { id, code, leaves: { entry: undefined } };
    const stays = write.action === 'update' ? before : undefined;
    const { file } = stays ?? { file: readsAnew ? title : `width ${width}` };
    const entry = { row: before?.row ?? nextRow(), title, width: stays?.width ?? width, file };
    return { id, code, leaves: { entry } };
  });
}

/** What an undo makes of the records that its operation has changed, in the order in which the service says it did. */
function undoneBy({ catalog, effects }: Model, { target, rule }: UndoWrite, changed: readonly string[]): Outcome[] {
  const own = effects.get(target) ?? [];
  return changed.map((id): Outcome => {
    const ofId = own.filter((effect) => effect.id === id);
    const { entry, isConflict } = undoEffects(catalog.get(id), ofId, rule, fields);
    return { id, code: isConflict ? 'conflict' : null, leaves: { entry } };
  });
}

/** The same where one failure takes everything back. */
function rolledBack(outcomes: readonly Outcome[]): readonly Outcome[] {
  if (outcomes.every(({ code }) => code === null)) return outcomes;
  return outcomes.map(({ id, code }) => ({ id, code: code ?? 'strict_rollback', leaves: null }));
}

/**
 * Applies a write to the catalog as its record says that it went: wholly, or up to where it was
 * aborted.
 *
 * @param changed ids of the records that an operation has changed which this one undoes.
 * @returns what is wrong with the record.
 */
export function applyWrite(
  model: Model,
  write: Write,
  record: OperationRecord,
  changed: readonly string[] = [],
): string[] {
  const { catalog, effects } = model;
  const faults: string[] = [];
  const done = record.num_good + record.num_bad;
  const expect = (holds: boolean, what: string) => {
    if (!holds) faults.push(`operation ${record.operation_id}: ${what}`);
  };
  const isUndo = write.action === 'undo';
  if (isUndo) {
    const known = [...new Set((effects.get(write.target) ?? []).map(({ id }) => id))];
    const told = changed.toSorted().join();
    expect(told === known.toSorted().join(), `what it undoes has changed ${known.join()}, and tells ${told}`);
  }
  let rows = record.operation_id * 1e5;
  const planned = isUndo ? undoneBy(model, write, changed) : outcomesOf(model, write, () => (rows += 1));
  const strict = write.strict || (isUndo && write.rule === 'fail');
  const outcomes = (strict ? rolledBack(planned) : planned).slice(0, done);
  const total = planned.length;
  expect(record.is_finished, 'it has not finished');
  expect(record.num_total === total, `num_total is ${record.num_total}, not ${total}`);
  if (!record.is_aborted) expect(done === total, `${done} of ${total} elements are counted`);
  else if (strict) expect(done === 0, `it was strict and aborted, and counts ${done} elements`);
  else expect(done % chunkSize === 0 || done === total, `it was aborted in the middle of a chunk, after ${done}`);

  const failed = outcomes.flatMap(({ code }, position) => (code === null ? [] : [`${position} ${code}`]));
  const reported = record.errors.map(({ id, code }) => `${id} ${code}`);
  expect(record.num_bad === failed.length, `num_bad is ${record.num_bad}, not ${failed.length}`);
  expect(record.num_good === done - failed.length, `num_good is ${record.num_good}, not ${done - failed.length}`);
  expect(record.all_good === (done === 0 ? null : failed.length === 0), `all_good is ${String(record.all_good)}`);
  expect(reported.join() === failed.join(), `it reports ${firstDifference(reported, failed)}`);
  effects.set(
    record.operation_id,
    outcomes.flatMap((outcome) => applyOutcome(catalog, outcome)),
  );
  return faults;
}

/** @returns what became of each row, where anything did. */
function applyOutcome(catalog: Map<string, Modeled>, { id, leaves }: Outcome): Effect<Modeled>[] {
  if (leaves === null) return [];
  const { entry } = leaves;
  const before = catalog.get(id);
  if (JSON.stringify(before) === JSON.stringify(entry)) return [];
  if (entry === undefined) catalog.delete(id);
  else catalog.set(id, entry);
  if (before === undefined || entry === undefined || before.row === entry.row) return [{ id, before, after: entry }];
  return [
    { id, before, after: undefined },
    { id, before: undefined, after: entry },
  ];
}

/** What the service has and the model has not, and the other way round. */
export function compareCatalogs(service: ReadonlyMap<string, Picture>, model: ReadonlyMap<string, Picture>): string[] {
  const describe = (picture: Picture | undefined) =>
    picture === undefined ? 'nothing' : `'${picture.title}' of width ${picture.width}`;
  const ids = new Set([...service.keys(), ...model.keys()]);
  return [...ids]
    .filter((id) => describe(service.get(id)) !== describe(model.get(id)))
    .map((id) => `record ${id} is ${describe(service.get(id))} and should be ${describe(model.get(id))}`);
}

function firstDifference(reported: readonly string[], expected: readonly string[]): string {
  const at = expected.findIndex((line, i) => line !== reported[i]);
  const place = at < 0 ? expected.length : at;
  return `'${reported[place] ?? 'nothing'}' where '${expected[place] ?? 'nothing'}' belongs`;
}
