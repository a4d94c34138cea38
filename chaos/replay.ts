// The proof of the history: replayed from nothing, it passes through everything that the records ever were, and ends at
// the tables as they stand.
import type pg from 'pg';
import { historyColumnsOf } from '../src/catalog/history/functions.ts';
import type { Resource } from '../src/catalog/index.ts';

/** A record as columns by their names, without those that are null; undefined where it is not there. */
type State = Readonly<Record<string, unknown>> | undefined;

type Change = Readonly<{
  id: number;
  row: number;
  action: 'created' | 'changed' | 'deleted';
  at: Date;
  before: Record<string, unknown> | null;
}>;

const resources: readonly Resource[] = ['image', 'video'];

/** The state of the analysis is kept only where an analysis begins anew. */
const unkept = ['ai_status', 'ai_reason'];
const columnsOf = (resource: Resource) =>
  ['row_id', `${resource}_id`, 'created_at', ...historyColumnsOf[resource]].filter((name) => !unkept.includes(name));

/**
 * Writes down each row of the records whenever one is written, apart from the history and without any of its code.
 * From here on `replayHistory` can tell whether the history has all of it.
 */
export async function witnessRecords(client: Pick<pg.Pool, 'query'>): Promise<void> {
  await client.query(`
    CREATE TABLE witness (number bigserial PRIMARY KEY, resource text, row_id bigint, state jsonb);
    CREATE FUNCTION witness() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO witness (resource, row_id, state) SELECT TG_TABLE_NAME, COALESCE(NEW.row_id, OLD.row_id),
        CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
      RETURN NULL;
    END $$`);
  for (const resource of resources) {
    await client.query(
      `CREATE TRIGGER witness AFTER INSERT OR UPDATE OR DELETE ON ${resource} FOR EACH ROW EXECUTE FUNCTION witness()`,
    );
  }
}

/**
 * Replays the history of all records, images and videos, and compares each state with what was witnessed, and the last
 * one with the table, in every column that the history covers.
 *
 * @returns what is wrong.
 */
export async function replayHistory(client: Pick<pg.Pool, 'query'>): Promise<string[]> {
  const faults: string[] = [];
  for (const resource of resources) faults.push(...(await replay(client, resource)));
  return faults;
}

async function replay(client: Pick<pg.Pool, 'query'>, resource: Resource): Promise<string[]> {
  const changes = await client.query<Change>(
    `SELECT id::float8, row_id::float8 AS row, action, at, before FROM ${resource}_change
     ORDER BY row_id, id`,
  );
  const present = await client.query<{ row: number; state: State }>(
    `SELECT row_id::float8 AS row, to_jsonb(r) AS state FROM ${resource} r`,
  );
  const witnessed = await client.query<{ row: number; state: State | null }>(
    `SELECT row_id::float8 AS row, state FROM witness WHERE resource = '${resource}' ORDER BY row_id, number`,
  );
  const [ofRow, seenOf] = [byRow(changes.rows), byRow(witnessed.rows)];
  const presentOf = new Map(present.rows.map(({ row, state }) => [row, covered(resource, state)]));
  const rows = new Set([...ofRow.keys(), ...seenOf.keys(), ...presentOf.keys()]);
  return [...rows].flatMap((row) => {
    const { states, faults } = statesOf(ofRow.get(row) ?? [], presentOf.get(row));
    const seen = (seenOf.get(row) ?? []).map(({ state }) => covered(resource, state ?? undefined));
    return [...faults, ...difference(distinct(states), distinct(seen))].map(
      (fault) => `${resource} row ${row}: ${fault}`,
    );
  });
}

function byRow<T extends Readonly<{ row: number }>>(entries: readonly T[]): ReadonlyMap<number, T[]> {
  const grouped = new Map<number, T[]>();
  for (const entry of entries) {
    const group = grouped.get(entry.row);
    if (group === undefined) grouped.set(entry.row, [entry]);
    else group.push(entry);
  }
  return grouped;
}

/** The states of a row, each as its change left it, from the first on: found backwards from what is there now. */
function statesOf(changes: readonly Change[], present: State): { states: State[]; faults: string[] } {
  const faults: string[] = [];
  const states: State[] = [];
  let state = present;
  for (const { id, action, before } of changes.toReversed()) {
    states.unshift(state);
    const wasLeft = action !== 'deleted';
    if ((state !== undefined) !== wasLeft) faults.push(`change ${id} is '${action}', and then it is ${told(state)}`);
    if (action === 'created') state = undefined;
    else if (action === 'deleted') state = withoutNulls({ ...before });
    else state = withoutNulls({ ...state, ...before });
  }
  if (state !== undefined) faults.push(`it was there before its first change, as ${told(state)}`);
  const late = changes.find(({ at }, i) => at < (changes[i - 1]?.at ?? at));
  if (late !== undefined) faults.push(`change ${late.id} is dated before the one that it follows`);
  return { states, faults };
}

function withoutNulls(state: Readonly<Record<string, unknown>>): State {
  const kept = Object.entries(state).filter(
    ([name, value]) => value !== null && ![...unkept, 'updated_at'].includes(name),
  );
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the history covers of a row of the table: where values come from has a key for each. */
function covered(resource: Resource, row: State): State {
  if (row === undefined) return undefined;
  const own = columnsOf(resource).map((name) => [name, row[name] ?? null] as const);
  const provenance = Object.entries((row['provenance'] ?? {}) as object);
  return withoutNulls(Object.fromEntries([...own, ...provenance.map(([key, value]) => [`provenance.${key}`, value])]));
}

/** States one after the other, without those that are as the one before. */
function distinct(states: readonly State[]): string[] {
  return states.map(told).filter((state, i, all) => state !== (all[i - 1] ?? told(undefined)));
}

const told = (state: State): string => (state === undefined ? 'nothing' : JSON.stringify(state));

function difference(replayed: readonly string[], seen: readonly string[]): string[] {
  const at = seen.findIndex((state, i) => state !== replayed[i]);
  const place = at < 0 ? seen.length : at;
  if (replayed.length === seen.length && at < 0) return [];
  return [
    `state ${place} was ${seen[place] ?? 'not witnessed'}, and is ${replayed[place] ?? 'not there'} by the history`,
  ];
}
