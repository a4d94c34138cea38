import { createHash } from 'node:crypto';
import { colorShades, formulaFieldsOf } from '../../catalog/index.ts';
import type { FormulaField, FormulaKind, Resource } from '../../catalog/index.ts';

/**
 * What the engine knows of each field of formulas. Filters, documents and settings read this; a question about anything
 * else is PostgreSQL's.
 */
export type MeilisearchAccess =
  /** Whole values and their beginnings, folded, in `terms`. */
  | 'terms'
  /** A number that is compared and sorted by. */
  | 'number'
  | 'date'
  | 'time'
  /** A value of a few, compared as it is spelled. */
  | 'value'
  | 'color'
  /** Only whether there is one. */
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

/** Identifiers are a look into PostgreSQL's index; addresses are long, and each is another. */
const left: readonly string[] = ['src'];

/** How the engine knows a field; null where it knows nothing of it. */
export function accessOf({ name, kind, isExact }: FormulaField): MeilisearchAccess | null {
  if (isExact || name === 'text') return null;
  return left.includes(name) ? 'presence' : byKind[kind];
}

/** The fields that the engine knows something of. */
export function meilisearchFieldsOf(resource: Resource): readonly FormulaField[] {
  return formulaFieldsOf(resource).filter((field) => accessOf(field) !== null);
}

const plainName = (name: string) => name.replaceAll('.', '_');

/** Attributes of a document that hold a field's value. */
export const attributeOf = {
  /** As it is spelled, to be counted. */
  facet: (name: string) => `f_${plainName(name)}`,
  number: (name: string) => `n_${plainName(name)}`,
  color: (name: string) => `color.${name}`,
  /** First day, days since 1970. */
  from: (name: string) => `n_${plainName(name)}_from`,
  to: (name: string) => `n_${plainName(name)}_to`,
} as const;

/** The attributes that are compared as numbers, of every field. */
function numbersOf({ name, ...field }: FormulaField): string[] {
  const access = accessOf({ name, ...field });
  if (access === 'number' || access === 'time') return [attributeOf.number(name)];
  if (access === 'date') return [attributeOf.from(name), attributeOf.to(name)];
  return [];
}

/** Texts by weight, the heaviest first. */
export const textAttributes = ['text_a', 'text_b', 'text_c', 'text_d'] as const;

function attributes(patterns: readonly string[], comparison: boolean) {
  return {
    attributePatterns: [...patterns],
    features: { facetSearch: false, filter: { equality: true, comparison } },
  };
}

/** The settings of the index of a kind of record. */
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
    // Words are given as they are in the catalog; PostgreSQL knows their forms and their mistypings.
    typoTolerance: { enabled: false },
    prefixSearch: 'disabled' as const,
    proximityPrecision: 'byAttribute' as const,
    facetSearch: false,
    faceting: { maxValuesPerFacet: maxFacetValues, sortFacetValuesBy: { '*': 'count' as const } },
    pagination: { maxTotalHits: 1_000_000_000 },
    searchCutoffMs: 10_000,
  };
}

/** Values of a facet that the engine tells: more than we answer, so that ties at the end are seen whole. */
export const maxFacetValues = 500;

/** What documents are made of; raised when that changes and the settings do not. */
const documentVersion = 1;

export const settingsOf = { image: settingsFor('image'), video: settingsFor('video') } as const;

const digest = (resource: Resource) =>
  createHash('sha256')
    .update(JSON.stringify([documentVersion, settingsOf[resource]]))
    .digest('hex')
    .slice(0, 8);

/** Tells indexes apart that were made with other settings; part of their names. */
export const settingsDigest: Readonly<Record<Resource, string>> = { image: digest('image'), video: digest('video') };
