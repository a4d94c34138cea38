import type { RecordRow, Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import { isBranch, leavesOf } from '../formula/tree.ts';
import { maxDepth } from '../list-records.ts';
import type { ListOptions } from '../list-records.ts';
import type { Question } from '../question.ts';
import { askIndex, askWhenKnown, quietIndex } from './ask.ts';
import type { TenantIndex } from './ask.ts';
import { attributeOf } from './attributes.ts';
import type { EngineReason, SearchEngine } from './engine.ts';
import { readRows, readRowsWhileCurrent } from './read-rows.ts';
import { compileFilter, oneOf, plainTokens, wordsToKnow } from './to-filter.ts';
import { findForms } from './word-forms.ts';

type WordsTest = Extract<Test, { kind: 'words' }>;

/** The attribute that each order is of; texts are sorted by PostgreSQL. */
const sorts: Readonly<Record<Resource, ReadonlyMap<string, string>>> = {
  image: sortsFor('height', 'width', 'n_faces', 'aspect_ratio'),
  video: sortsFor('height', 'width', 'duration_secs').set('date_jdn', attributeOf.from('date')),
};

function sortsFor(...names: readonly string[]): Map<string, string> {
  const own = names.map((name) => [name, attributeOf.number(name)] as const);
  return new Map([...own, ['', attributeOf.number('created_at')], ['date', attributeOf.from('date')]]);
}

/** Words that the engine reads of one question. */
const mostWords = 10;
/** What the engine cuts texts into words by cannot differ from what we do. */
const safeWord = /^[a-z0-9]+$|^[а-яё]+$/;

/** `plain` are the words as they are written, `written` those with all else that is asked. */
type Ranking = Readonly<{ q: string; plain: string; written: string }>;

/** How a list is asked for. */
export type ListPlan = Readonly<{ filter: string }> &
  (Readonly<{ kind: 'sorted'; sort: readonly string[] }> | (Readonly<{ kind: 'ranked' }> & Ranking));

/** How the engine would be asked for a page, or why not. */
export async function planList(
  db: TenantDb,
  question: Question,
  { sortBy, sortOrder, cursor, withCursor, page, limit }: Omit<ListOptions, 'properties'>,
): Promise<ListPlan | EngineReason> {
  const { condition, resource } = question;
  const attribute = sorts[resource].get(sortBy);
  const isWalk = cursor !== null || withCursor;
  // A list of everything is a walk along an index of PostgreSQL's.
  if (condition === null || isWalk || attribute === undefined || page * limit > maxDepth) return 'order';
  const filter = await filterOf(db, question);
  if (filter === null) return 'formula';
  const ranking = sortBy === '' ? await rankingOf(db, question) : 'none';
  if (ranking === 'none') return { kind: 'sorted', filter, sort: [`${attribute}:${sortOrder}`, 'key:asc'] };
  // The engine ranks the best first only.
  return ranking === null || sortOrder === 'asc' ? 'order' : { kind: 'ranked', filter, ...ranking };
}

/** What is made of a question is kept with it: the same one is paged through, counted and faceted. */
function keptWith<T>(make: (db: TenantDb, question: Question) => Promise<T>) {
  const kept = new WeakMap<Question, Readonly<{ made: T }>>();
  return async (db: TenantDb, question: Question): Promise<T> => {
    let found = kept.get(question);
    if (found === undefined) kept.set(question, (found = { made: await make(db, question) }));
    return found.made;
  };
}

/** The question as a filter; null where the engine cannot answer it exactly. */
export const filterOf = keptWith(async (db, { condition, resource, lang }): Promise<string | null> => {
  if (condition === null) return null;
  const forms = await findForms(db, lang, wordsToKnow(condition));
  return compileFilter(condition, { resource, lang, forms });
});

/** The words by which answers are ranked; 'none' without bare ones, null where the engine would rank otherwise. */
const rankingOf = keptWith(async (db, question): Promise<Ranking | 'none' | null> => {
  const { condition } = question;
  const { words, others } = condition === null ? noWords : bareWords(condition);
  if (words === null || words.length > mostWords) return null;
  if (words.length === 0) return 'none';
  const plain = words.map((word) => oneOf('tokens', plainTokens(word))).join(' AND ');
  // A record that holds the words as they are written answers them: only what else is asked is left to say.
  const isMore = condition?.kind === 'and' && others.length > 0;
  const rest = isMore ? await filterOf(db, { ...question, condition: { ...condition, items: others } }) : null;
  return { q: words.join(' '), plain, written: rest === null ? plain : `${rest} AND ${plain}` };
});

/** The bare words that all must be in a record, and what else is asked; no words where any of it counts for the rank. */
type Asked = Readonly<{ words: readonly string[] | null; others: readonly Condition[] }>;

const noWords: Asked = { words: [], others: [] };

function bareWords(condition: Condition): Asked {
  const parts = condition.kind === 'and' ? condition.items : [condition];
  const words: string[] = [];
  const others: Condition[] = [];
  for (const part of parts) {
    const bare = isBare(part);
    if (bare && isPlainWord(part)) words.push(part.words[0] ?? '');
    else if (bare || (part.kind !== 'not' && leavesOf<Test>(part).some(isBare))) return { words: null, others };
    else others.push(part);
  }
  return { words, others };
}

function isBare(test: Condition): test is WordsTest {
  return !isBranch<Test>(test) && test.kind === 'words' && test.field.name === 'text';
}

function isPlainWord({ form, words, meanings }: WordsTest): boolean {
  return form === 'word' && words.length === 1 && meanings === undefined && safeWord.test(words[0] ?? '');
}

/** A page of records that answer a question, by the engine. */
export async function listByEngine(
  db: TenantDb,
  engine: SearchEngine,
  question: Question,
  options: ListOptions,
): Promise<RecordRow[] | EngineReason> {
  const plan = await planList(db, question, options);
  if (typeof plan === 'string') return plan;
  const { resource } = question;
  const { page, limit, properties } = options;
  const part = { offset: (page - 1) * limit, limit };
  const ask = (index: TenantIndex) =>
    plan.kind === 'sorted' ? sorted(engine, index, plan, part) : ranked(engine, index, plan, part);
  const known = quietIndex(engine, resource);
  const early = known && (await ask({ uid: known.uid, tenantId: db.tenantId }));
  if (known !== null && Array.isArray(early) && early.length > 0) {
    // One question less to PostgreSQL: it says with the rows whether the index was right to ask.
    const rows = await readRowsWhileCurrent(db, engine, known, { resource, rowIds: early, properties });
    if (rows.length > 0) return rows;
  }
  const rowIds = await askWhenKnown(db, engine, resource, ask);
  return typeof rowIds === 'string' ? rowIds : readRows(db, resource, rowIds, properties);
}

type Part = Readonly<{ offset: number; limit: number }>;
type PlanOf<Kind extends ListPlan['kind']> = Extract<ListPlan, { kind: Kind }>;
type RowIds = readonly number[] | EngineReason;

async function sorted(
  engine: SearchEngine,
  index: TenantIndex,
  { filter, sort }: PlanOf<'sorted'>,
  part: Part,
): Promise<RowIds> {
  const answers = await askIndex(engine, index, [{ filter, sort, part }]);
  return typeof answers === 'string' ? answers : (answers[0]?.rowIds ?? []);
}

/**
 * Records that hold the words as they are written come first, as the engine ranks them; then those that hold other forms
 * of them, the newest first. The second list is asked for where the first does not fill the page.
 */
async function ranked(engine: SearchEngine, index: TenantIndex, plan: PlanOf<'ranked'>, part: Part): Promise<RowIds> {
  const { filter, q, plain, written } = plan;
  const first = await askIndex(engine, index, [{ filter: written, q, part }]);
  if (typeof first === 'string') return first;
  const rowIds = first[0]?.rowIds ?? [];
  if (rowIds.length === part.limit) return rowIds;
  // The first list ends on this page, or before it: then it is counted to know where the second goes on.
  const sort = [`${attributeOf.number('created_at')}:desc`, 'key:asc'];
  const others = { filter: `(${filter}) AND NOT (${plain})`, sort };
  const endsHere = part.offset === 0 || rowIds.length > 0;
  const rest = { offset: 0, limit: part.limit - rowIds.length };
  const more = endsHere ? [{ filter: written }, { ...others, part: rest }] : [{ filter: written }];
  const answers = await askIndex(engine, index, more);
  if (typeof answers === 'string') return answers;
  const total = answers[0]?.total ?? 0;
  // The engine must find by its words what it finds by ours.
  if (rowIds.length !== Math.max(0, total - part.offset)) return 'values';
  if (endsHere) return [...rowIds, ...(answers[1]?.rowIds ?? [])];
  const beyond = await askIndex(engine, index, [{ ...others, part: { ...part, offset: part.offset - total } }]);
  return typeof beyond === 'string' ? beyond : (beyond[0]?.rowIds ?? []);
}
