import { describeField, findFormulaField, naturalOrder } from '../../catalog/index.ts';
import type { Locale, Resource } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { maxFacetText, searchFacetValues } from '../query/facet-values.ts';
import { FormulaError } from '../formula/index.ts';
import { refuseLong } from '../formula/parse/parser.ts';
import { formatPlainValue } from '../formula/format.ts';
import { invalidFormula } from '../formula/invalid-formula.ts';
import { fold } from '../formula/words.ts';
import { readSearchQuery } from '../query/search-query.ts';
import { withinTime } from '../query/within-time.ts';
import type { Completion, Completions } from './completion.ts';
import { completeField, completeFlag, completeLiteral, completePrefix } from './fields.ts';
import { followersOf, placeAt } from './place.ts';
import type { Place } from './place.ts';

type CompletionOptions = Readonly<{
  text: string;
  /** Code points before the cursor. */
  position: number;
  resource: Resource;
  limit: number;
  /** Language of the descriptions. */
  locale?: Locale;
}>;

const wordsBeginning = tenantStatement(
  'words-beginning',
  `SELECT word FROM search_word WHERE tenant_id = $1 AND word >= $2 AND word < $3 ORDER BY word LIMIT $4`,
);
/** Find the names of each kind that start with a prefix; a saved formula is described by its text. */
const namesBeginning = {
  saved: tenantStatement(
    'saved-formulas-beginning',
    `SELECT name, formula AS description FROM saved_formula WHERE tenant_id = $1 AND starts_with(search_fold(name), $2)
     ORDER BY name ${naturalOrder} LIMIT $3`,
  ),
  collection: tenantStatement(
    'collections-beginning',
    `SELECT name, '' AS description FROM collection WHERE tenant_id = $1 AND starts_with(search_fold(name), $2)
     ORDER BY name ${naturalOrder} LIMIT $3`,
  ),
} as const;

/** Maximum time to look up values; later ones are useless to somebody who is typing. */
const maxMilliseconds = 2000;

/** Minimum length of a word before the vocabulary is searched. */
const wordStart = 2;

/** Returns what can be inserted at the cursor of a formula that is being typed. */
export async function completeFormula(db: TenantDb, options: CompletionOptions): Promise<Completions> {
  const { text, limit } = options;
  checkLength(text);
  const position = Math.min(options.position, [...text].length);
  const place = placeAt(text, position);
  if (place === null) return { span: { start: position, end: position }, results: [] };
  const found = await complete(db, place, options);
  const results = found.filter((each, index) => found.findIndex(({ text: own }) => own === each.text) === index);
  return { span: place.span, results: results.slice(0, limit) };
}

/** @throws AppError `invalid_formula` for a text far longer than a formula may be. */
function checkLength(text: string): void {
  try {
    refuseLong(text);
  } catch (error) {
    throw error instanceof FormulaError ? invalidFormula(text, error) : error;
  }
}

async function complete(db: TenantDb, place: Place, options: CompletionOptions): Promise<Completion[]> {
  switch (place.kind) {
    case 'term':
      return completeTerm(db, place, options);
    case 'value':
      return completeValue(db, place, options);
    case 'flag':
      return completeFlag(place.flag, place.part, { ...options, locale: options.locale ?? 'en' });
    case 'saved':
    case 'collection':
      return completeNamed(db, place, options.limit);
    case 'reference':
      return place.part === ''
        ? ['id:', 'hash:', 'text:', '"'].map((text) => ({ text, kind: 'reference', description: '', count: null }))
        : [];
    default:
      return place satisfies never;
  }
}

async function completeTerm(
  db: TenantDb,
  place: Extract<Place, { kind: 'term' }>,
  { text, resource, limit, locale = 'en' }: CompletionOptions,
): Promise<Completion[]> {
  const { part } = place;
  const operators = followersOf(text, place)
    .filter((sign) => sign.startsWith(part))
    .map((sign): Completion => ({ text: sign, kind: 'operator', description: '', count: null }));
  return [
    ...operators,
    ...completeField(part, { resource, locale }),
    ...completePrefix(part, locale),
    ...(await completeWord(db, part, limit)),
  ];
}

async function completeWord(db: TenantDb, part: string, limit: number): Promise<Completion[]> {
  const start = fold(part);
  if ([...start].length < wordStart) return [];
  const { rows } = await db.query<{ word: string }>(wordsBeginning, [start, `${start}\u{10ffff}`, limit]);
  return rows.map(({ word }) => ({ text: word, kind: 'word', description: '', count: null }));
}

async function completeValue(
  db: TenantDb,
  { term, part, isQuoted }: Extract<Place, { kind: 'value' }>,
  { resource, limit, locale = 'en' }: CompletionOptions,
): Promise<Completion[]> {
  const field = findFormulaField(term.field);
  if (field?.sql[resource] === undefined) return [];
  if (!isQuoted && !['keyword', 'list', 'text'].includes(field.kind)) return completeLiteral(field, part, locale);
  const text = part.replace(/^["“”]/u, '');
  if (!field.facet) return field.weight === null || isQuoted ? [] : completeWord(db, text, limit);
  const everything = readSearchQuery('', { resource, lang: 'ml', mayVerify: false });
  const beginning = [...fold(text)].slice(0, maxFacetText).join('');
  const search = { name: field.name, text: beginning, limit };
  const found = await withinTime(db, maxMilliseconds, (client) => searchFacetValues(db, everything, search, client));
  return (found ?? []).map(({ value, count }) => ({
    text: formatPlainValue(String(value)),
    kind: 'value',
    description: describeField(field, locale),
    count,
  }));
}

async function completeNamed(
  db: TenantDb,
  { kind, part }: Extract<Place, { kind: 'saved' | 'collection' }>,
  limit: number,
): Promise<Completion[]> {
  const text = part.replace(/^["“”]/u, '');
  const { rows } = await db.query<{ name: string; description: string }>(namesBeginning[kind], [fold(text), limit]);
  return rows.map(({ name, description }) => ({ text: formatPlainValue(name), kind, description, count: null }));
}
