import { fieldsOf } from './fields.ts';
import type { Field, Resource, TextWeight } from './fields.ts';

/**
 * The SQL in prisma/functions that maintains the columns that searches use: a function for each table, and the
 * triggers that call it. It is derived from the table of fields and written by `npm run generate`.
 */
export function searchFunction(resource: Resource): string {
  return `-- Keeps what searches look in. Of each part the first 40 000 characters: a tsvector holds at most one megabyte.
-- Generated from src/catalog/fields.ts by \`npm run generate\`.
CREATE OR REPLACE FUNCTION ${resource}_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  sep CONSTANT TEXT := U&'\\001F';
  lang CONSTANT TEXT := NEW.lang::text;
  part TEXT;
BEGIN
  NEW.terms := search_terms(concat_ws(sep,
    ${termFieldsOf(resource).map(termOf).join(',\n    ')}));
  NEW.words := '';
  NEW.stems := '';
${weights.map((weight) => partOf(weightedFieldsOf(resource, weight), weight)).join('')}${concepts}
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER ${resource}_search_new BEFORE INSERT ON "${resource}"
  FOR EACH ROW EXECUTE FUNCTION ${resource}_search();
CREATE OR REPLACE TRIGGER ${resource}_search_changed BEFORE UPDATE ON "${resource}" FOR EACH ROW
  WHEN ((${rowOf(resource, 'NEW')})
    IS DISTINCT FROM
        (${rowOf(resource, 'OLD')})
    OR NEW.words IS NULL)
  EXECUTE FUNCTION ${resource}_search();
`;
}

/** Heaviest first. In the last part, a phrase may run from one field into the next. */
const weights: readonly TextWeight[] = ['A', 'B', 'C', 'D'];

const weightedFieldsOf = (resource: Resource, weight: TextWeight) =>
  fieldsOf[resource].filter((field) => field.weight === weight);

/** Facets whose values are compared as a whole: each is stored as a term `name=value`. */
const termFieldsOf = (resource: Resource) =>
  fieldsOf[resource].filter(({ facet, type }) => facet && (type === 'keyword' || type === 'list'));

function termOf({ name, type }: Field): string {
  if (type === 'list') return `'${name}=' || NULLIF(array_to_string(NEW.${name}, sep || '${name}='), '')`;
  return `'${name}=' || NULLIF(NEW.${name}, '')`;
}

/** Adds the words and stems of some fields. */
function partOf(fields: readonly Field[], weight: TextWeight): string {
  const [words, stems] = [`to_tsvector('search_words', part)`, 'search_stem(lang, part)'];
  const weighted = (vector: string) => (weight === 'D' ? vector : `setweight(${vector}, '${weight}')`);
  const before = (name: string) => (weight === 'A' ? '' : `NEW.${name} || `);
  const values = fields.map(({ name, type }) =>
    type === 'list' ? `array_to_string(NEW.${name}, sep)` : `NEW.${name}`,
  );
  return `  part := concat_ws(sep, ${values.join(', ')});
  IF part <> '' THEN
    part := search_normalize(left(${weight === 'D' ? 'part' : 'part || sep'}, 40000));
    NEW.words := ${before('words')}${weighted(words)};
    NEW.stems := ${before('stems')}${weighted(stems)};
  END IF;
`;
}

/** Concepts from analyzers come last and have no weight: one text per language. */
const concepts = `  IF NEW.concepts IS NOT NULL THEN
    NEW.words := NEW.words || to_tsvector('search_words', search_normalize(array_to_string(NEW.concepts, sep)));
    NEW.stems := NEW.stems || search_stem('en', search_normalize(NEW.concepts[1]))
      || search_stem('es', search_normalize(NEW.concepts[2])) || search_stem('pt', search_normalize(NEW.concepts[3]))
      || search_stem('fr', search_normalize(NEW.concepts[4])) || search_stem('ru', search_normalize(NEW.concepts[5]));
  END IF;`;

/** The columns that the search columns are computed from. */
function rowOf(resource: Resource, row: 'NEW' | 'OLD'): string {
  const used = [...weights.flatMap((weight) => weightedFieldsOf(resource, weight)), ...termFieldsOf(resource)];
  const lists = used.filter(({ type }) => type === 'list');
  const names = [...used.filter(({ type }) => type !== 'list'), ...lists].map(({ name }) => name);
  return [...new Set([...names, 'concepts', 'lang'])].map((name) => `${row}.${name}`).join(', ');
}
