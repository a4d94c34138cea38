import type { FormulaField, Resource } from '../../catalog/index.ts';
import { bareFieldsOf } from '../../catalog/index.ts';
import type { SimilarityTerm } from './ast.ts';
import type { Condition, Test } from './conditions.ts';
import { isBranch } from './tree.ts';
import { fold } from './words.ts';

/** How words are analyzed: in one language, or (`ml`) in every language of the records. */
export type SearchLanguage = 'ml' | 'en' | 'es';

/** A column with the words of a record, as written or as stems. */
export type TextColumn = 'words' | 'stems';

export type SqlOptions = Readonly<{
  resource: Resource;
  lang: SearchLanguage;
  /** Adds a literal and returns its placeholder. */
  parameter: (value: unknown) => string;
  /** The rows that match each similarity term. */
  answers?: ReadonlyMap<SimilarityTerm, Readonly<{ found: ReadonlyMap<number, number> }>>;
  /**
   * Turns an expression that depends on no row, a query of a text column, into the SQL to use for it; by default, the
   * expression itself.
   */
  constant?: (make: (parameter: SqlOptions['parameter']) => string, column: TextColumn) => string;
}>;

type Of<Kind extends Test['kind']> = Extract<Test, { kind: Kind }>;

const languages: Readonly<Record<SearchLanguage, readonly string[]>> = {
  ml: ['en', 'es', 'pt', 'fr', 'ru'],
  en: ['en'],
  es: ['es'],
};

/** Returns the languages in which words are analyzed. */
export function languagesOf(lang: SearchLanguage): readonly string[] {
  return languages[lang];
}

/**
 * Longer values are cut in their `name=value` token (`prisma/functions/search_terms.sql`), so they are compared in
 * full.
 */
export const longestTerm = 200;
/**
 * The part of a folded value that is in the index of its field: one character more, so that a short value never
 * equals the beginning of a longer one.
 */
export const indexedValue = (column: string) => `left(search_fold(${column}), ${longestTerm + 1})`;
/** Maximum length of a word; longer ones are in no index and cannot be searched. */
export const longestWord = 500;

/**
 * Compiles a condition to SQL over the table of the resource. Every literal becomes a parameter. A test of a missing
 * value is false, so its negation is true.
 */
export function compileCondition(condition: Condition, options: SqlOptions): string {
  if (!isBranch<Test>(condition)) return compileTest(condition, options);
  if (condition.kind === 'not') return `(${compileCondition(condition.item, options)}) IS NOT TRUE`;
  const { kind, items } = condition;
  if (kind === 'and') return items.map((item) => `(${compileCondition(item, options)})`).join(' AND ');
  return compileOr(items, options);
}

/** Compiles an OR. Its facet values take a single index lookup; if they share a field, in the index of that field. */
function compileOr(items: readonly Condition[], options: SqlOptions): string {
  const terms = items.filter((item): item is Of<'value'> => item.kind === 'value' && isTerm(item));
  const others = terms.length > 1 ? items.filter((item) => !terms.includes(item as Of<'value'>)) : items;
  const parts = others.map((item) => `(${compileCondition(item, options)})`);
  const [first] = terms;
  if (first !== undefined && terms.length > 1) parts.unshift(compileAny(first.field, terms, options));
  return parts.join(' OR ');
}

function compileAny(field: FormulaField, terms: readonly Of<'value'>[], { resource, parameter }: SqlOptions): string {
  if (hasOwnIndex(field, resource) && terms.every((term) => term.field === field)) {
    const values = [...new Set(terms.map(({ text }) => fold(text)))];
    return `${indexedValue(sqlOf(field, resource))} = ANY (${parameter(values)}::text[])`;
  }
  return `terms && ${parameter(terms.map((term) => `${term.field.name}=${fold(term.text)}`))}::text[]`;
}

/** Whether the folded values of a field have an index of their own. */
function hasOwnIndex({ indexed }: FormulaField, resource: Resource): boolean {
  return indexed.includes(resource);
}

function compileTest(test: Test, options: SqlOptions): string {
  const { parameter } = options;
  switch (test.kind) {
    case 'everything':
      return 'true';
    case 'words':
      return compileWords(test, options);
    case 'value':
      return compileValue(test, options);
    case 'present':
      return compilePresent(test.field, options.resource);
    case 'range':
      return compileRange(test, options);
    case 'period':
      return compilePeriod(test, options);
    case 'boolean': {
      const column = sqlOf(test.field, options.resource);
      return test.value === null ? `${column} IS NULL` : `${column} = ${parameter(test.value)}::boolean`;
    }
    case 'color':
      return `coalesce((SELECT sum((share->>'percent')::numeric) >= ${parameter(test.percent)}::numeric
        FROM jsonb_array_elements(${sqlOf(test.field, options.resource)}) AS share
        WHERE share->>'name' = ANY (${parameter(test.shades)}::text[])), false)`;
    case 'collection':
      return `row_id IN (SELECT row_id FROM (${collectionMembers(options.resource, parameter(test.name))}) AS members)`;
    case 'similarity': {
      const answer = options.answers?.get(test);
      if (answer === undefined) throw new Error('a similarity term was not resolved');
      return `row_id = ANY (${parameter([...answer.found.keys()])}::bigint[])`;
    }
    default:
      return test satisfies never;
  }
}

/** Selects the rows of tenant `$1` in the collection with this name, with their positions. */
export function collectionMembers(resource: Resource, name: string): string {
  return `SELECT m.row_id, m.position FROM collection_${resource} m
    JOIN collection c ON c.tenant_id = $1 AND m.tenant_id = $1 AND c.id = m.collection_id AND c.name = ${name}::text`;
}

function sqlOf({ name, sql }: FormulaField, resource: Resource): string {
  const expression = sql[resource];
  if (expression === undefined) throw new Error(`${resource}s have no ${name}`);
  return expression;
}

/** A full-text condition: the column, and the query as a tsquery expression. */
type TextQuery = Readonly<{ column: TextColumn; query: string }>;

/** Returns full-text conditions of which at least one must be true. */
function textQueries(
  { form, words, meanings = [] }: Of<'words'>,
  { lang, parameter, constant = (make) => make(parameter) }: SqlOptions,
): readonly TextQuery[] {
  const exact = words.join(' ');
  if (form === 'prefix') {
    const beginning = words.map((word, index) => (index === words.length - 1 ? `${word}:*` : word)).join(' <-> ');
    return [{ column: 'words', query: constant((add) => `to_tsquery('search_words', ${add(beginning)})`, 'words') }];
  }
  if (form === 'phrase' || words.length > 1) {
    return [{ column: 'words', query: constant((add) => `phraseto_tsquery('search_words', ${add(exact)})`, 'words') }];
  }
  const every = [exact, ...meanings];
  const forms: TextQuery = {
    column: 'stems',
    query: constant((add) => {
      const langs = add(languages[lang]);
      return anyOf(every.map((word) => `search_forms(${langs}::text[], ${add(word)}::text)`));
    }, 'stems'),
  };
  // `stems` has each word in the forms of the record's own language, which includes the word as written.
  if (lang === 'ml') return [forms];
  const plain = constant((add) => anyOf(every.map((word) => `plainto_tsquery('search_words', ${add(word)})`)), 'words');
  return [forms, { column: 'words', query: plain }];
}

function anyOf(queries: readonly string[]): string {
  return queries.length === 1 ? queries.join('') : `(${queries.join(' || ')})`;
}

function compileWords(test: Of<'words'>, options: SqlOptions): string {
  const { field, words } = test;
  if (words.some((word) => word.length > longestWord)) return 'false';
  return textQueries(test, options)
    .map(({ column, query }) => {
      const whole = `${column} @@ ${query}`;
      if (field.name === 'text') return whole;
      const value = sqlOf(field, options.resource);
      const own = column === 'words' ? `search_words_of(${value})` : `search_stems_of(lang::text, ${value})`;
      // The index covers all fields together; the field itself is checked afterwards.
      return field.weight === null ? `${own} @@ ${query}` : `(${whole} AND ${own} @@ ${query})`;
    })
    .join(' OR ');
}

export type WordTest = Of<'words'>;

/**
 * Returns the forms of a single bare word as a tsquery expression: a record matches if its stems do.
 *
 * @returns null for any other condition.
 */
export function compileForms(condition: Condition, options: SqlOptions): string | null {
  if (options.lang !== 'ml' || condition.kind !== 'words' || condition.field.name !== 'text') return null;
  const { form, words } = condition;
  if (form !== 'word' || words.length !== 1 || words.some((word) => word.length > longestWord)) return null;
  return textQueries(condition, options)[0]?.query ?? null;
}

/**
 * Returns SQL for the best matches of one word: its forms as a tsquery expression, and the condition for rows that
 * contain one of them at a level of the function `search_top_words` or above, or that contain two of them.
 */
export function compileTops(test: WordTest, options: SqlOptions) {
  const forms = textQueries(test, options)[0]?.query ?? "''::tsquery";
  const isTop = (lowest: number) =>
    `(search_top_words(tenant_id, stems) && search_top_word_keys($1, ${forms}, ${options.parameter(lowest)}::int)
      OR stems @@ search_pairs(${forms}))`;
  return { forms, isTop };
}

/** Whether a facet value is in the index of `terms`. */
function isTerm({ field, isPrefix, text }: Of<'value'>): boolean {
  return field.facet && !isPrefix && ['keyword', 'list'].includes(field.kind) && fold(text).length <= longestTerm;
}

/** Returns the element of the column `terms` that a matching row has; null if that column is not enough to tell. */
export function indexedTerm(test: Of<'value'>): string | null {
  return isTerm(test) ? `${test.field.name}=${fold(test.text)}` : null;
}

function compileValue(test: Of<'value'>, { resource, parameter }: SqlOptions): string {
  const { field, isPrefix, text } = test;
  const column = sqlOf(field, resource);
  if (field.isExact || field.kind === 'enum') {
    return isPrefix ? `starts_with(${column}, ${parameter(text)})` : `${column} = ${parameter(text)}`;
  }
  if (isTerm(test) && !hasOwnIndex(field, resource))
    return `terms @> ${parameter([`${field.name}=${fold(text)}`])}::text[]`;
  const folded = `${parameter(fold(text))}::text`;
  if (isTerm(test)) return `${indexedValue(column)} = ${folded}`;
  const compare = (value: string) =>
    isPrefix ? `starts_with(search_fold(${value}), ${folded})` : `search_fold(${value}) = ${folded}`;
  return field.kind === 'list'
    ? `EXISTS (SELECT FROM unnest(${column}) AS element WHERE ${compare('element')})`
    : compare(column);
}

function compilePresent(field: FormulaField, resource: Resource): string {
  if (field.name === 'text') {
    const bare = bareFieldsOf(resource).map((each) => `(${compilePresent(each, resource)})`);
    return bare.join(' OR ');
  }
  const column = sqlOf(field, resource);
  switch (field.kind) {
    case 'text':
    case 'keyword':
      return `${column} <> ''`;
    case 'list':
      return `cardinality(${column}) > 0`;
    case 'color':
      return `jsonb_array_length(${column}) > 0`;
    default:
      return `${column} IS NOT NULL`;
  }
}

function compileRange({ field, low, high }: Of<'range'>, { resource, parameter }: SqlOptions): string {
  const column = sqlOf(field, resource);
  const type = field.kind === 'number' ? 'numeric' : 'float8';
  const parts = [
    low && `${column} >${low.isIncluded ? '=' : ''} ${parameter(low.value)}::${type}`,
    high && `${column} <${high.isIncluded ? '=' : ''} ${parameter(high.value)}::${type}`,
  ];
  return parts.filter((part) => part !== null).join(' AND ');
}

/** Compiles a period. A record's date may be a period, too; it matches if all of it is inside. */
function compilePeriod({ field, from, to }: Of<'period'>, { resource, parameter }: SqlOptions): string {
  const isDate = field.kind === 'date';
  const column = sqlOf(field, resource);
  const [first, last] = isDate ? [`${column}_start`, `${column}_end`] : [column, column];
  const moment = (time: string) => momentOf(field, time, parameter);
  const parts = [
    from !== null && `${first} >= ${moment(from)}`,
    to !== null && `${last} < ${moment(to)}`,
    // Follows from the previous condition, but gives the scan of the index by first day an upper bound.
    to !== null && first !== last && `${first} < ${moment(to)}`,
  ];
  return parts.filter((part) => part !== false).join(' AND ');
}

function momentOf({ kind }: FormulaField, time: string, parameter: SqlOptions['parameter']): string {
  return kind === 'date' ? `${parameter(time.replace(/T.*/, ''))}::date` : `${parameter(time)}::timestamptz`;
}

/** A test of a period before and after the clock was moved. */
type MovedPeriod = Readonly<{ was: Of<'period'>; is: Of<'period'> }>;

/** Returns SQL for the rows that either end of a moved period has passed. */
export function compilePassed({ was, is }: MovedPeriod, { resource, parameter }: SqlOptions): string {
  const passed = (column: 'from' | 'to'): string[] => {
    const [one, other] = [was[column], is[column]];
    if (one === other || one === null || other === null) return [];
    const [from, to] = Date.parse(one) < Date.parse(other) ? [one, other] : [other, one];
    const isDate = is.field.kind === 'date';
    const first = sqlOf(is.field, resource) + (isDate ? (column === 'from' ? '_start' : '_end') : '');
    const moment = (time: string) => momentOf(is.field, time, parameter);
    return [`${first} >= ${moment(from)} AND ${first} < ${moment(to)}`];
  };
  const parts = [...passed('from'), ...passed('to')];
  return parts.length === 0 ? 'false' : parts.map((part) => `(${part})`).join(' OR ');
}

/**
 * Returns SQL for the relevance of a record to the bare text of a condition; negated parts do not count.
 *
 * @returns null if there is no bare text.
 */
export function compileRelevance(condition: Condition, options: SqlOptions): string | null {
  const queries = bareTexts(condition).flatMap((test) => textQueries(test, options));
  if (queries.length === 0) return null;
  const ranks = (['stems', 'words'] as const).flatMap((column) => {
    const own = queries.filter((each) => each.column === column).map(({ query }) => query);
    return own.length === 0 ? [] : [`ts_rank(${column}, ${own.join(' || ')}, 1)`];
  });
  return `(${ranks.join(' + ')})::float8`;
}

function bareTexts(condition: Condition): Of<'words'>[] {
  if (!isBranch<Test>(condition)) {
    const isBare = condition.kind === 'words' && condition.field.name === 'text';
    return isBare && condition.words.every((word) => word.length <= longestWord) ? [condition] : [];
  }
  return condition.kind === 'not' ? [] : condition.items.flatMap(bareTexts);
}
