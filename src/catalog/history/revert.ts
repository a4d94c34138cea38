import { storedFactsOf } from '../stored-facts.ts';
import { fieldsOf, writableFieldsOf } from '../fields.ts';
import type { Resource } from '../fields.ts';
import { provenancePrefix } from './state.ts';
import type { State } from './state.ts';

/** What is done with a field or a record that something else has changed since. */
export const onConflicts = ['skip', 'overwrite', 'fail'] as const;
export type OnConflict = (typeof onConflicts)[number];

/** What an element is put back to: what it was before an operation changed these rows, or at a moment. */
export type Revert = Readonly<{ operation: number; rows: readonly number[]; onConflict: OnConflict } | { at: string }>;

/** Who changed a value since, and when. */
export type Since = Readonly<{ operation: number | null; key: string | null; at: string }>;

/** Why something is not put back. */
export type Conflict = Readonly<{ field: string; since: Since | null; reason: 'changed' | 'deleted' | 'taken' }>;

/** What is known of a row that is to be put back. */
export type Former = Readonly<{
  id: string;
  row: number;
  /** Whether the record was there, and whether it is there now. */
  wasThere: boolean;
  isThere: boolean;
  /** Former values: of a record that is to come back all, else those that have changed. */
  before: State | null;
  /** Keys whose values are neither as they were left nor as they are to be, and who changed them. */
  changedSince: Readonly<Record<string, Since>> | null;
  /** The operation that has taken what hung on the record, if any. */
  attachedTo: number | null;
  /** The row of another record that has the id now. */
  takenBy: number | null;
  /** Who took the id, or deleted the record. */
  takenSince: Since | null;
}>;

/** What is to be done to a row. */
export type Reversal = Readonly<{
  id: string;
  row: number;
  act: 'delete' | 'insert' | 'update' | 'none';
  /** The columns to set. */
  state: State;
  /** Whether the file is another one then. */
  withFile: boolean;
  /** The operation whose attachments come back, if any. */
  attachedTo: number | null;
  /** A row that makes room. */
  replaces: number | null;
  conflicts: readonly Conflict[];
}>;

/** The group of the file: its address, and all that was read and seen in it. */
const source = 'src';

/** Columns that belong together under the name of a field; what was seen in the file goes with the file. */
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

/** The columns by which somebody who changes a group is noticed. */
const telling = { image: tellingOf('image'), video: tellingOf('video') };

function tellingOf(resource: Resource): ReadonlySet<string> {
  const written = writableFieldsOf[resource].map(({ name }) => name);
  return new Set([...written, 'lang', storedFactsOf[resource].mark]);
}

const groupOf = (resource: Resource, key: string) => groups[resource].get(key) ?? key;

/** Decides what is done to rows, and what is left as somebody else has changed it since. */
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

/** A record that is gone comes back where it was deleted by what is undone, and its id is free. */
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

/** Former values without those of groups in conflict; what an analysis found in the same file stays as it is. */
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
