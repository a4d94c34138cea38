import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Resource } from '../../catalog/index.ts';
import type { Answered } from '../../similarity/index.ts';
import { AppError } from '../../lib/errors.ts';
import { tenantQuery, tenantStatementOf } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';
import { checkParsed, FormulaError, parse, formatFormula } from '../formula/index.ts';
import type { Condition, Node, ReadFormula, Test } from '../formula/index.ts';
import type { SimilarityTerm } from '../formula/ast.ts';
import { maxUnits } from '../formula/limits.ts';
import { compileCondition, compileRelevance } from '../formula/to-sql.ts';
import type { SearchLanguage } from '../formula/to-sql.ts';
import { leavesOf } from '../formula/tree.ts';
import { invalidFormula } from '../formula/invalid-formula.ts';
import { findSaved, namesSaved } from './saved-formulas.ts';

/** What a list is asked for: a formula that is understood, and the languages of its words. */
export type SearchQuery = Readonly<{
  resource: Resource;
  lang: SearchLanguage;
  /** As it is written, in one shape. */
  node: Node | null;
  /** Null asks for everything. */
  condition: Condition | null;
  /** Tells two questions apart; '' for everything. */
  digest: string;
  /** What its similarity terms came to; nothing until they were resolved. */
  answers: SimilarityAnswers;
}>;

/** Answers beside the formula, by term. */
export type SimilarityAnswers = ReadonlyMap<SimilarityTerm, SimilarityAnswer>;

/** `isByWords` where a text is compared by its words, because no model embeds texts. */
export type SimilarityAnswer = Answered & Readonly<{ isByWords: boolean }>;

const noAnswers: SimilarityAnswers = new Map();

export type SearchQueryOptions = Readonly<{
  resource: Resource;
  lang: SearchLanguage;
  /** Whether `i====` may be asked. */
  mayVerify: boolean;
  /** Where days begin: an IANA time zone, or null for UTC. */
  timeZone?: string | null;
}>;

/**
 * Reads a formula as of now, with the tenant's saved formulas where it names some.
 *
 * @throws AppError as `readSearchQuery` does.
 */
export async function readSearchQueryOf(db: TenantDb, q: string, options: SearchQueryOptions): Promise<SearchQuery> {
  if (!namesSaved(q)) return readSearchQuery(q, options);
  // What a saved formula says is its tenant's, and may change: such a question is not kept.
  const { resource, timeZone } = options;
  const parsed = parse(q);
  const reading = { resource, timeZone, now: Date.now() };
  try {
    return toSearchQuery(checkParsed(parsed, { ...reading, findSaved: await findSaved(db, parsed, reading) }), options);
  } catch (error) {
    throw error instanceof FormulaError ? invalidFormula(q, error) : error;
  }
}

/** Formulas that are asked page after page. What they are read to takes about a hundred times the room of their letters. */
const known = new LRUCache<string, SearchQuery>({
  maxSize: 100_000,
  sizeCalculation: (_searchQuery, key) => key.length,
});

/**
 * Reads a formula as of now.
 *
 * @throws AppError `invalid_formula` with the place of its first mistake; `forbidden` where it asks for
 * verified duplicates and may not.
 */
export function readSearchQuery(q: string, options: SearchQueryOptions): SearchQuery {
  const { resource, lang, mayVerify, timeZone } = options;
  if (q === '') return { resource, lang, node: null, condition: null, digest: '', answers: noAnswers };
  const key = q.length > maxUnits ? null : `${resource} ${lang} ${mayVerify} ${timeZone ?? ''} ${q}`;
  let searchQuery = key === null ? undefined : known.get(key);
  if (searchQuery === undefined) {
    searchQuery = readFormula(q, options);
    if (key !== null && !dependsOnTime(searchQuery)) known.set(key, searchQuery);
  }
  return searchQuery;
}

/** Days go by. */
function dependsOnTime({ condition }: SearchQuery): boolean {
  return condition !== null && leavesOf<Test>(condition).some(({ kind }) => kind === 'period');
}

function readFormula(q: string, options: SearchQueryOptions): SearchQuery {
  const { resource, timeZone } = options;
  try {
    return toSearchQuery(checkParsed(parse(q), { resource, now: Date.now(), timeZone }), options);
  } catch (error) {
    throw error instanceof FormulaError ? invalidFormula(q, error) : error;
  }
}

function toSearchQuery(
  { node, condition }: ReadFormula,
  { resource, lang, mayVerify }: SearchQueryOptions,
): SearchQuery {
  if (!mayVerify && condition !== null) refuseVerification(condition);
  const text = `${lang} ${formatFormula(node)}`;
  const digest = condition === null ? '' : createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { resource, lang, node, condition, digest, answers: noAnswers };
}

function refuseVerification(condition: Condition): void {
  for (const test of leavesOf<Test>(condition)) {
    if (test.kind !== 'similarity' || test.operator !== '====') continue;
    throw new AppError('forbidden', 'This tenant may not ask for verified duplicates (i====)', {
      requiredScope: 'search_verify',
      position: test.span.start,
    });
  }
}

/** Whether the formula holds a similarity term that is not negated. */
export function asksSimilarity({ condition }: SearchQuery): boolean {
  const asks = (part: Condition): boolean =>
    part.kind === 'similarity' || ((part.kind === 'and' || part.kind === 'or') && part.items.some(asks));
  return condition !== null && asks(condition);
}

/** Placeholders of a statement; `$1` is the tenant. */
export type Parameters = Readonly<{ values: unknown[]; parameter: (value: unknown) => string }>;

export function createParameters(): Parameters {
  const values: unknown[] = [];
  return { values, parameter: (value) => `$${values.push(value) + 1}` };
}

/** The rows of the tenant that answer the question, as a WHERE clause. */
export function whereOf(
  { resource, lang, condition, answers }: SearchQuery,
  parameter: Parameters['parameter'],
): string {
  if (condition === null) return 'tenant_id = $1';
  return `tenant_id = $1 AND (${compileCondition(condition, { resource, lang, parameter, answers })})`;
}

/** How well a row answers, as SQL; null where the question holds no bare text. */
export function relevanceOf({ resource, lang, condition }: SearchQuery, { parameter }: Parameters): string | null {
  return condition && compileRelevance(condition, { resource, lang, parameter });
}

/** In which order the rows of a statement are asked for, as far as an index may have it; `tops` are a word's best answers. */
export type RowOrder = 'none' | 'created_at' | 'date_start' | 'tops' | 'other';

/**
 * Whether an index has the rows of the question in this order, whatever value is asked for: one value of one field. Any
 * other condition is best answered in ways that depend on how frequent its values are.
 */
export function hasOnePlan({ condition, resource }: SearchQuery, order: RowOrder): boolean {
  if (condition === null || order === 'tops') return true;
  if (condition.kind !== 'value' || condition.isPrefix || order === 'other') return false;
  const { indexed, indexedByDate } = condition.field;
  return (order === 'date_start' ? indexedByDate : indexed).includes(resource);
}

/**
 * A statement of a question. Where one plan is best for all values it is prepared, which saves PostgreSQL from parsing
 * and planning it again (half of a page's time); the others are planned for their values.
 */
export function statementOf(
  searchQuery: SearchQuery,
  text: string,
  { types, order = 'other' }: Readonly<{ types?: TenantStatement['types']; order?: RowOrder }> = {},
): TenantStatement {
  if (!hasOnePlan(searchQuery, order)) return tenantQuery(text, types);
  // A page that an index has in its order looks through no more rows than it shows.
  const isSearch = searchQuery.condition === null || order === 'none' || order === 'tops';
  return tenantStatementOf(text, { types, isSearch, isBounded: true });
}
