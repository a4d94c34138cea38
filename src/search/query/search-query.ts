import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Resource } from '../../catalog/index.ts';
import type { Answered } from '../../similarity/index.ts';
import { AppError } from '../../lib/errors.ts';
import { nextSlice } from '../../lib/time-slice.ts';
import { tenantRead, tenantStatementOf } from '../../tenants/index.ts';
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

/** A search query: a checked formula, and the languages of its words. */
export type SearchQuery = Readonly<{
  resource: Resource;
  lang: SearchLanguage;
  /** The normalized syntax tree. */
  node: Node | null;
  /** Null matches everything. */
  condition: Condition | null;
  /** Identifies the query; '' for everything. */
  digest: string;
  /** Results of its similarity terms; none until they are resolved. */
  answers: SimilarityAnswers;
  /**
   * Set if these results only cover records that match the rest of the condition: finds those for another condition.
   */
  answerAgain?: (searchQuery: SearchQuery) => Promise<SimilarityAnswers>;
}>;

/** Results by term. */
export type SimilarityAnswers = ReadonlyMap<SimilarityTerm, SimilarityAnswer>;

/** `isByWords`: a text was compared by its words, because no model embeds texts. */
export type SimilarityAnswer = Answered & Readonly<{ isByWords: boolean }>;

const noAnswers: SimilarityAnswers = new Map();

export type SearchQueryOptions = Readonly<{
  resource: Resource;
  lang: SearchLanguage;
  /** Whether `i====` is allowed. */
  mayVerify: boolean;
  /** Time zone in which days begin (IANA), or null for UTC. */
  timeZone?: string | null;
}>;

/**
 * Formulas up to this length are read in less than half a millisecond. The event loop reads one longer formula per
 * iteration.
 */
const shortFormula = 1_000;

/**
 * Reads a formula as of now, including the tenant's saved formulas that it references.
 *
 * @throws AppError as `readSearchQuery` does.
 */
export async function readSearchQueryOf(db: TenantDb, q: string, options: SearchQueryOptions): Promise<SearchQuery> {
  if (q.length > shortFormula && !isKnown(q, options)) await nextSlice(db.tenantId);
  if (!namesSaved(q)) return readSearchQuery(q, options);
  // Saved formulas belong to a tenant and may change, so such a query is not cached.
  const { resource, timeZone } = options;
  const parsed = parse(q);
  const reading = { resource, timeZone, now: Date.now() };
  try {
    return toSearchQuery(checkParsed(parsed, { ...reading, findSaved: await findSaved(db, parsed, reading) }), options);
  } catch (error) {
    throw error instanceof FormulaError ? invalidFormula(q, error) : error;
  }
}

/** Caches queries, which are requested page after page. A query takes about a hundred times the memory of its text. */
const known = new LRUCache<string, SearchQuery>({
  maxSize: 100_000,
  sizeCalculation: (_searchQuery, key) => key.length,
});

/**
 * Reads a formula as of now.
 *
 * @throws AppError `invalid_formula` with the position of its first mistake; `forbidden` if it has an `i====` term
 * that is not allowed.
 */
export function readSearchQuery(q: string, options: SearchQueryOptions): SearchQuery {
  const { resource, lang } = options;
  if (q === '') return { resource, lang, node: null, condition: null, digest: '', answers: noAnswers };
  const key = keyOf(q, options);
  let searchQuery = key === null ? undefined : known.get(key);
  if (searchQuery === undefined) {
    searchQuery = readFormula(q, options);
    if (key !== null && !dependsOnTime(searchQuery)) known.set(key, searchQuery);
  }
  return searchQuery;
}

/** The key of a formula in the cache; null for one too long to be cached. */
function keyOf(q: string, { resource, lang, mayVerify, timeZone }: SearchQueryOptions): string | null {
  return q.length > maxUnits ? null : `${resource} ${lang} ${mayVerify} ${timeZone ?? ''} ${q}`;
}

function isKnown(q: string, options: SearchQueryOptions): boolean {
  const key = keyOf(q, options);
  return key !== null && known.has(key);
}

/** Whether a query has dates: relative ones change their meaning at midnight. */
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
  const digest = condition === null ? '' : hash('sha256', text, 'base64url').slice(0, 12);
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

/** Whether the formula has a similarity term that is not negated. */
export function asksSimilarity({ condition }: SearchQuery): boolean {
  const asks = (part: Condition): boolean =>
    part.kind === 'similarity' || ((part.kind === 'and' || part.kind === 'or') && part.items.some(asks));
  return condition !== null && asks(condition);
}

/** Quick check whether a formula, which need not be valid, may ask for similarity. */
export function mayAskSimilarity(formula: string): boolean {
  return /[~=]/.test(formula) || namesSaved(formula);
}

/** Returns the query with only some parts of its condition. */
export async function withCondition(searchQuery: SearchQuery, condition: Condition | null): Promise<SearchQuery> {
  const changed = { ...searchQuery, condition };
  if (condition === null || searchQuery.answerAgain === undefined) return changed;
  return { ...changed, answers: await searchQuery.answerAgain(changed) };
}

/** Placeholders of a statement; `$1` is the tenant. */
export type Parameters = Readonly<{ values: unknown[]; parameter: (value: unknown) => string }>;

export function createParameters(): Parameters {
  const values: unknown[] = [];
  return { values, parameter: (value) => `$${values.push(value) + 1}` };
}

/** Returns a WHERE clause for the tenant's matching rows. */
export function whereOf(
  { resource, lang, condition, answers }: SearchQuery,
  parameter: Parameters['parameter'],
): string {
  if (condition === null) return 'tenant_id = $1';
  return `tenant_id = $1 AND (${compileCondition(condition, { resource, lang, parameter, answers })})`;
}

/** Returns the relevance of a row as SQL; null if the query has no bare text. */
export function relevanceOf({ resource, lang, condition }: SearchQuery, { parameter }: Parameters): string | null {
  return condition && compileRelevance(condition, { resource, lang, parameter });
}

/** The order of a statement's rows, as far as an index can provide it; `tops` are the best matches of a word. */
export type RowOrder = 'none' | 'created_at' | 'date_start' | 'tops' | 'other';

/**
 * Whether one plan is best for every value: an index has the matching rows in this order, as for a condition on one
 * value of one field. Which plan is best for any other condition depends on how frequent its values are.
 */
export function hasOnePlan({ condition, resource }: SearchQuery, order: RowOrder): boolean {
  if (condition === null || order === 'tops') return true;
  if (condition.kind !== 'value' || condition.isPrefix || order === 'other') return false;
  const { indexed, indexedByDate } = condition.field;
  return (order === 'date_start' ? indexedByDate : indexed).includes(resource);
}

/**
 * Returns the statement of a query. If one plan is best for all values, it is prepared, which saves parsing and
 * planning (half the time of a page); otherwise it is planned for its values.
 */
export function statementOf(
  searchQuery: SearchQuery,
  text: string,
  {
    types,
    order = 'other',
    counts = false,
  }: Readonly<{ types?: TenantStatement['types']; order?: RowOrder; counts?: boolean }> = {},
): TenantStatement {
  if (!hasOnePlan(searchQuery, order)) return tenantRead(text, types);
  // A page in the order of an index reads only the rows that it shows, unless it also counts all.
  const isSearch = counts || searchQuery.condition === null || order === 'none' || order === 'tops';
  return tenantStatementOf(text, { types, isSearch, isBounded: true, isRead: true });
}
