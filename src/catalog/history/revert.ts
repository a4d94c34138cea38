import { storedFactsOf } from '../stored-facts.ts';
import { fieldsOf, writableFieldsOf } from '../fields.ts';
import type { Resource } from '../fields.ts';
import { provenancePrefix } from './state.ts';
import type { State } from './state.ts';

/** What to do with a field or record that something else has changed since. */
export const onConflicts = ['skip', 'overwrite', 'fail'] as const;
export type OnConflict = (typeof onConflicts)[number];

/** The state to revert an element to: before an operation changed these rows, or at a moment. */
export type Revert = Readonly<{ operation: number; rows: readonly number[]; onConflict: OnConflict } | { at: string }>;

/** Who has changed a value since, and when. */
type Since = Readonly<{ operation: number | null; key: string | null; at: string }>;

/** Why something is not reverted. */
export type Conflict = Readonly<{ field: string; since: Since | null; reason: 'changed' | 'deleted' | 'taken' }>;

/** What is known about a row that is to be reverted. */
export type Former = Readonly<{
  id: string;
  row: number;
  /** Whether the record existed, and whether it exists now. */
  wasThere: boolean;
  isThere: boolean;
  /** Former values: all of them for a record to restore, otherwise only those that differ. */
  before: State | null;
  /**
   * Keys whose values are neither what the operation left behind nor what they will be reverted to, and who changed
   * them.
   */
  changedSince: Readonly<Record<string, Since>> | null;
  /** The operation that removed the record's attachments, if any. */
  attachedTo: number | null;
  /** The row of another record that has this id now. */
  takenBy: number | null;
  /** Who created that record, or who deleted this one. */
  takenSince: Since | null;
}>;

/** What to do with a row. */
export type Reversal = Readonly<{
  id: string;
  row: number;
  act: 'delete' | 'insert' | 'update' | 'none';
  /** The columns to set. */
  state: State;
  /** Whether the file changes with it. */
  withFile: boolean;
  /** The operation whose attachments are restored, if any. */
  attachedTo: number | null;
  /** A row to delete first, because it has this id. */
  replaces: number | null;
  conflicts: readonly Conflict[];
}>;

/** The group of the file: its address, and everything read from it or found in it. */
const source = 'src';

/** Columns that belong together, under the name of a field. What was found in the file belongs to the file. */
const groups = { image: groupsOf('image'), video: groupsOf('video') };

function groupsOf(resource: Resource): ReadonlyMap<string, string> {
  const { facts, cleared } = storedFactsOf[resource];
  const ofFile = [...facts.map(({ name }) => name), ...cleared.filter((name) => name !== 'duplicate_of'), 'src_path'];
  return new Map([
    ...fieldsOf[resource].map(({ name, property }) => [provenancePrefix + property, name] as const),
    ...ofFile.map((name) => [name, source] as const),
    ['date_start', 'date'],
    ['date_end', 'date'],
  ]);
}

/** The columns that tell whether a group has changed. */
const telling = { image: tellingOf('image'), video: tellingOf('video') };

function tellingOf(resource: Resource): ReadonlySet<string> {
  const written = writableFieldsOf[resource].map(({ name }) => name);
  return new Set([...written, 'lang', storedFactsOf[resource].mark]);
}

const groupOf = (resource: Resource, key: string) => groups[resource].get(key) ?? key;

/** Decides what to do with rows, and what to leave alone because something else has changed it since. */
export function planReversals(resource: Resource, formers: readonly Former[], onConflict: OnConflict): Reversal[] {
  const [made, others] = [formers.filter(({ wasThere }) => !wasThere), formers.filter(({ wasThere }) => wasThere)];
  const first = made.map((former) => planReversal(resource, former, onConflict));
  const leaving = new Set(first.filter(({ act }) => act === 'delete').map(({ row }) => row));
  const then = others.map((former) => {
    const isFree = former.takenBy === null || leaving.has(former.takenBy);
    return planReversal(resource, isFree ? { ...former, takenBy: null } : former, onConflict);
  });
  return [...first, ...then];
}

function planReversal(resource: Resource, former: Former, onConflict: OnConflict): Reversal {
  const { id, row, wasThere, isThere } = former;
  const plan = {
    id,
    row,
    act: 'none',
    state: {},
    withFile: false,
    attachedTo: null,
    replaces: null,
    conflicts: [],
  } as const;
  const conflicts = onConflict === 'overwrite' ? [] : conflictsOf(resource, former);
  if (!wasThere) {
    if (!isThere) return plan;
    return conflicts.length > 0 ? { ...plan, conflicts: conflicts.slice(0, 1) } : { ...plan, act: 'delete' };
  }
  if (!isThere) return planReturn(former, onConflict, plan);
  const state = stateToSet(resource, former, new Set(conflicts.map(({ field }) => field)));
  const withFile = Object.keys(state).some((key) => groupOf(resource, key) === source);
  const act = Object.keys(state).length > 0 ? 'update' : 'none';
  return { ...plan, act, state, withFile, attachedTo: withFile ? former.attachedTo : null, conflicts };
}

/** Restores a missing record, provided that it was deleted by what is being undone, and its id is free. */
function planReturn(
  { before, attachedTo, takenBy, takenSince: since }: Former,
  onConflict: OnConflict,
  plan: Reversal,
): Reversal {
  if (before?.['row_id'] === undefined) return { ...plan, conflicts: [{ field: 'id', since, reason: 'deleted' }] };
  if (takenBy !== null && onConflict !== 'overwrite') {
    return { ...plan, conflicts: [{ field: 'id', since, reason: 'taken' }] };
  }
  return { ...plan, act: 'insert', state: before, attachedTo, replaces: takenBy };
}

function conflictsOf(resource: Resource, { wasThere, before, changedSince }: Former): Conflict[] {
  const touched = new Set(Object.keys(before ?? {}).map((key) => groupOf(resource, key)));
  const found = new Map<string, Conflict>();
  for (const [key, since] of Object.entries(changedSince ?? {})) {
    const field = groupOf(resource, key);
    if (!telling[resource].has(key) || (wasThere && !touched.has(field))) continue;
    found.set(field, { field, since, reason: 'changed' });
  }
  return [...found.values()];
}

/**
 * Returns former values, except those of conflicting groups. What an analysis found in the same file stays as it is.
 */
function stateToSet(resource: Resource, { before, attachedTo }: Former, without: ReadonlySet<string>): State {
  const all = Object.entries(before ?? {});
  const isOtherFile =
    attachedTo !== null || all.some(([key]) => [source, 'src_path', storedFactsOf[resource].mark].includes(key));
  return Object.fromEntries(
    all.filter(([key]) => {
      const group = groupOf(resource, key);
      return !without.has(group) && (group !== source || isOtherFile);
    }),
  );
}
