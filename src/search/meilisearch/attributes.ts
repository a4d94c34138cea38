import { hash } from 'node:crypto';
import { colorShades, formulaFieldsOf } from '../../catalog/index.ts';
import type { FormulaField, FormulaKind, Resource } from '../../catalog/index.ts';

/**
 * What Meilisearch stores of each formula field. Filters, documents and settings rely on it; queries for anything
 * else go to PostgreSQL.
 */
type MeilisearchAccess =
  /** Whole values and their prefixes, folded, in `terms`. */
  | 'terms'
  /** A number for comparisons and sorting. */
  | 'number'
  | 'date'
  | 'time'
  /** One of a few values, compared exactly. */
  | 'value'
  | 'color'
  /** Only whether the field has a value. */
  | 'presence';

const byKind: Readonly<Record<FormulaKind, MeilisearchAccess>> = {
  text: 'presence',
  keyword: 'terms',
  list: 'terms',
  number: 'number',
  ratio: 'number',
  duration: 'number',
  date: 'date',
  time: 'time',
  boolean: 'value',
  enum: 'value',
  color: 'color',
};

/** Not worth storing: each address is long and different, and PostgreSQL has an index to look one up. */
const left: readonly string[] = ['src'];

/** Returns what Meilisearch stores of a field; null for nothing. */
export function accessOf({ name, kind, isExact }: FormulaField): MeilisearchAccess | null {
  if (isExact || name === 'text') return null;
  return left.includes(name) ? 'presence' : byKind[kind];
}

/** Returns the fields that Meilisearch stores anything of. */
export function meilisearchFieldsOf(resource: Resource): readonly FormulaField[] {
  return formulaFieldsOf(resource).filter((field) => accessOf(field) !== null);
}

const plainName = (name: string) => name.replaceAll('.', '_');

/** The attributes of a document that hold values of fields. */
export const attributeOf = {
  /** The exact value, for counting. */
  facet: (name: string) => `f_${plainName(name)}`,
  number: (name: string) => `n_${plainName(name)}`,
  color: (name: string) => `color.${name}`,
  /** First day, as days since 1970. */
  from: (name: string) => `n_${plainName(name)}_from`,
  to: (name: string) => `n_${plainName(name)}_to`,
} as const;

/** Returns the numeric attributes of a field. */
function numbersOf({ name, ...field }: FormulaField): string[] {
  const access = accessOf({ name, ...field });
  if (access === 'number' || access === 'time') return [attributeOf.number(name)];
  if (access === 'date') return [attributeOf.from(name), attributeOf.to(name)];
  return [];
}

/** The numeric attributes whose values are not whole. */
export const fractions: ReadonlySet<string> = new Set(
  (['image', 'video'] as const)
    .flatMap(formulaFieldsOf)
    .filter(({ kind }) => kind === 'ratio' || kind === 'duration')
    .map(({ name }) => attributeOf.number(name)),
);

/** Attributes of texts by weight, heaviest first. */
export const textAttributes = ['text_a', 'text_b', 'text_c', 'text_d'] as const;

function attributes(patterns: readonly string[], comparison: boolean) {
  return {
    attributePatterns: [...patterns],
    features: { facetSearch: false, filter: { equality: true, comparison } },
  };
}

/** The settings of the index of a resource. */
function settingsFor(resource: Resource) {
  const fields = meilisearchFieldsOf(resource);
  const numbers = fields.flatMap(numbersOf);
  const counted = fields.filter((field) => field.facet || accessOf(field) === 'value');
  const shades = fields.some((field) => accessOf(field) === 'color') ? colorShades.map(attributeOf.color) : [];
  return {
    displayedAttributes: ['id'],
    searchableAttributes: [...textAttributes],
    filterableAttributes: [
      attributes(['tenant', 'tokens', 'terms', 'has', ...counted.map(({ name }) => attributeOf.facet(name))], false),
      attributes([...numbers, ...shades], true),
    ],
    sortableAttributes: ['key', ...numbers],
    rankingRules: ['words', 'attribute', 'proximity', 'exactness', 'sort', 'n_created_at:desc', 'key:asc'],
    // We send words as they are in the catalog; PostgreSQL takes care of word forms and typos.
    typoTolerance: { enabled: false },
    prefixSearch: 'disabled' as const,
    proximityPrecision: 'byAttribute' as const,
    facetSearch: false,
    faceting: { maxValuesPerFacet: maxFacetValues, sortFacetValuesBy: { '*': 'count' as const } },
    pagination: { maxTotalHits: 1_000_000_000 },
    searchCutoffMs: 10_000,
  };
}

/** Facet values that Meilisearch returns: more than we need, so that ties at the end are complete. */
export const maxFacetValues = 500;

/** Version of the document format; raised when it changes and the settings do not. */
const documentVersion = 1;

export const settingsOf = { image: settingsFor('image'), video: settingsFor('video') } as const;

const digest = (resource: Resource) =>
  hash('sha256', JSON.stringify([documentVersion, settingsOf[resource]])).slice(0, 8);

/** Tells indexes with different settings apart; part of their names. */
export const settingsDigest: Readonly<Record<Resource, string>> = { image: digest('image'), video: digest('video') };
