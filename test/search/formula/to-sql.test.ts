import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formulaFields } from '../../../src/catalog/index.ts';
import { compileCondition, compileRelevance } from '../../../src/search/formula/to-sql.ts';
import { anyQuery } from '../differential/queries.ts';
import { read } from './read.ts';
import { runsOf } from '../../support/effort.ts';

function compile(
  formula: string,
  lang: 'ml' | 'en' | 'es' = 'ml',
): { sql: string; values: unknown[]; rank: string | null } {
  const { condition } = read(formula);
  if (condition === null) throw new Error('nothing to compile');
  const values: unknown[] = [1];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const sql = compileCondition(condition, { resource: 'image', lang, parameter });
  return { sql, values: values.slice(1), rank: compileRelevance(condition, { resource: 'image', lang, parameter }) };
}

describe('the SQL of a formula', () => {
  it.each([
    ['dog', `stems @@ search_forms($2::text[], $3::text)`, [['en', 'es', 'pt', 'fr', 'ru'], 'dog']],
    ['"Golden Gate"', `words @@ phraseto_tsquery('search_words', $2)`, ['golden gate']],
    ['wi-fi', `words @@ phraseto_tsquery('search_words', $2)`, ['wi fi']],
    ['sun*', `words @@ to_tsquery('search_words', $2)`, ['sun:*']],
    ['country:ES', 'left(search_fold(country), 201) = $2::text', ['es']],
    ['country:es,fr', 'left(search_fold(country), 201) = ANY ($2::text[])', [['es', 'fr']]],
    ['keywords:(a OR b)', 'terms && $2::text[]', [['keywords=a', 'keywords=b']]],
    ['country:es OR city:Vigo', 'terms && $2::text[]', [['country=es', 'city=vigo']]],
    ['-status:archived', '(left(search_fold(status), 201) = $2::text) IS NOT TRUE', ['archived']],
    ['id:A-1', 'image_id = $2', ['A-1']],
    ['width:1920.. height<1080', '(width >= $2::numeric) AND (height < $3::numeric)', ['1920', '1080']],
    [
      'date:2023-06..2024-02',
      'date_start >= $2::date AND date_end < $3::date AND date_start < $4::date',
      ['2023-06-01', '2024-03-01', '2024-03-01'],
    ],
    ['created_at>2024', 'created_at >= $2::timestamptz', ['2025-01-01T00:00:00.000Z']],
    ['ai_generated:null', 'ai_generated IS NULL', []],
    ['nsfw:false', 'nsfw = $2::boolean', [false]],
    ['has:caption', `caption <> ''`, []],
    ['no:author', `(author <> '') IS NOT TRUE`, []],
    ['title=Sun', 'search_fold(title) = $2::text', ['sun']],
    ['*', 'true', []],
  ])('for %s', (formula, sql, values) => {
    const compiled = compile(formula);
    expect([compiled.sql, compiled.values.slice(0, values.length)]).toEqual([sql, values]);
  });

  it('looks for a word as it is too where one language analyses it', () => {
    expect(compile('dog', 'es').sql).toBe(
      `stems @@ search_forms($2::text[], $3::text) OR words @@ plainto_tsquery('search_words', $4)`,
    );
  });

  it('holds no literal of the formula', () => {
    const ours = /'(?:search_words|panorama|square|landscape|portrait|name|percent)?'/g;
    const known = new Set([100, 105, 201, 2, 0].map(String));
    const property = fc.property(anyQuery(), ({ text }) => {
      const { sql, values } = compile(text);
      const rest = sql
        .replace(ours, '')
        .replace(/\$\d+/g, '')
        .replace(/float8/g, '');
      expect(rest).not.toContain("'");
      expect((rest.match(/\d+/g) ?? []).filter((digits) => !known.has(digits))).toEqual([]);
      expect(values.length).toBeLessThan(1000);
    });
    fc.assert(property, { numRuns: runsOf('SQL of formulas') });
  });

  it.each(formulaFields.filter(({ sql }) => sql.image !== undefined).map(({ name }) => name))(
    'keeps what breaks out of quotes out of the text: %s',
    (name) => {
      const evil = `x'); DROP TABLE image; --`;
      const text = compileOrNothing(`${name}:"${evil}"`) + compileOrNothing(`${name}="${evil}"`);
      expect(text).not.toMatch(/DROP/i);
    },
  );

  it('ranks by bare text that is not negated, and by nothing where there is none', () => {
    expect(compile('dog "big cat" -fog title:x').rank).toMatch(
      /^\(ts_rank\(stems, .+ \+ ts_rank\(words, .+\)::float8$/,
    );
    expect(compile('country:es -fog').rank).toBeNull();
  });
});

/** The SQL of a formula; a value that its field cannot have compiles to none. */
function compileOrNothing(formula: string): string {
  try {
    return compile(formula).sql;
  } catch {
    return '';
  }
}
