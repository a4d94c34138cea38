// What the catalog must be: a plain map and the rules of writes, applied one operation after the other.
import { chunkSize } from '../src/operations/limits.ts';

/** What the program remembers of a record. */
export type Picture = Readonly<{ title: string; width: number }>;

/** What is wrong with an element from the start, if anything; each leads to one code. */
export type Flaw = 'invalid_field' | 'source_conflict' | 'source_unreachable' | 'unsupported_media';

export type Action = 'create' | 'replace' | 'upsert' | 'update' | 'delete';

export type Element = Readonly<{ id: string; title: string; width: number; flaw: Flaw | null }>;

export type Write = Readonly<{ action: Action; elements: readonly Element[]; strict: boolean; urgent: boolean }>;

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
}>;

/** Errors that show before a source is read come before those that only reading shows. */
const laterFlaws: readonly (Flaw | null)[] = ['source_unreachable', 'unsupported_media'];

function codeOf(
  { action, elements }: Write,
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

/** The code of each element, null for a good one, when the write meets this catalog. */
function codesOf(write: Write, catalog: ReadonlyMap<string, Picture>): (string | null)[] {
  const seen = new Set<string>();
  const codes = write.elements.map(({ id }, position) => {
    const code = codeOf(write, position, seen.has(id), catalog);
    seen.add(id);
    return code;
  });
  const isRolledBack = write.strict && codes.some((code) => code !== null);
  return isRolledBack ? codes.map((code) => code ?? 'strict_rollback') : codes;
}

/**
 * Applies a write to the catalog as its record says that it went: wholly, or up to where it was
 * aborted.
 *
 * @returns what is wrong with the record.
 */
export function applyWrite(catalog: Map<string, Picture>, write: Write, record: OperationRecord): string[] {
  const faults: string[] = [];
  const total = write.elements.length;
  const done = record.num_good + record.num_bad;
  const expect = (holds: boolean, what: string) => {
    if (!holds) faults.push(`operation ${record.operation_id}: ${what}`);
  };
  expect(record.is_finished, 'it has not finished');
  expect(record.num_total === total, `num_total is ${record.num_total}, not ${total}`);
  if (!record.is_aborted) expect(done === total, `${done} of ${total} elements are counted`);
  else if (write.strict) expect(done === 0, `it was strict and aborted, and counts ${done} elements`);
  else expect(done % chunkSize === 0 || done === total, `it was aborted in the middle of a chunk, after ${done}`);

  const codes = codesOf(write, catalog).slice(0, done);
  const failed = codes.flatMap((code, position) => (code === null ? [] : [`${position} ${code}`]));
  const reported = record.errors.map(({ id, code }) => `${id} ${code}`);
  expect(record.num_bad === failed.length, `num_bad is ${record.num_bad}, not ${failed.length}`);
  expect(record.num_good === done - failed.length, `num_good is ${record.num_good}, not ${done - failed.length}`);
  expect(record.all_good === (done === 0 ? null : failed.length === 0), `all_good is ${String(record.all_good)}`);
  expect(reported.join() === failed.join(), `it reports ${firstDifference(reported, failed)}`);
  for (const [position, code] of codes.entries()) {
    const element = write.elements[position];
    if (code === null && element !== undefined) applyElement(catalog, write.action, element);
  }
  return faults;
}

function applyElement(catalog: Map<string, Picture>, action: Action, { id, title, width }: Element): void {
  const before = catalog.get(id);
  if (action === 'delete') catalog.delete(id);
  else catalog.set(id, { title, width: action === 'update' && before !== undefined ? before.width : width });
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
