import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { nonStarters } from '../../src/search/formula/non-starters.ts';
import { fold, wordsOf } from '../../src/search/formula/words.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';
import { character } from '../support/character.ts';
import { timed } from '../support/effort.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

async function column(sql: string, values: unknown[]): Promise<unknown[]> {
  const { rows } = await onDatabase(database.url, (client: pg.Client) =>
    client.query<unknown[]>({ text: sql, values, rowMode: 'array' }),
  );
  return rows.map(([value]) => value);
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0') && !text.includes('\u001f');
const samples = fc
  .sample(
    fc.oneof(
      fc.string({
        unit: fc.constantFrom(
          ...'aBcéÑüÇßŒæØłŁđĐıİĳ ﬁ½²№Ⅳ Ёёй Й ў Ў ї Ω ά ς Σ 0129 -_.,:;&’“”«»—…·¡¿!?()/\\🌅٣漢字日本'.split(''),
        ),
      }),
      fc.string({ unit: 'grapheme' }),
      // More marks on a letter than any language has.
      fc.string({
        unit: fc.constantFrom(...'aйЁ\u0301\u0323\u0306\u05b0\u05b1\u0651\u0f74\u{1e2ec}\u{1d165}'),
        minLength: 80,
        maxLength: 300,
      }),
      fc
        .tuple(
          fc.constantFrom('a', 'й', 'ש'),
          fc.string({
            unit: fc.constantFrom('\u0301', '\u05b0', '\u05b7', '\u{1e2ec}'),
            minLength: 25,
            maxLength: 400,
          }),
        )
        .map((parts) => parts.join('')),
      fc.string({ unit: character }).filter((text) => !/[\u{10000}-\u{1efff}\u{1fb00}-\u{10ffff}]/u.test(text)),
    ),
    { numRuns: 3000, seed: 5 },
  )
  .filter(isStorable);

describe('folding', () => {
  it.each([
    ['San Sebastián', 'san sebastian'],
    ['A CORUÑA', 'a coruna'],
    ['Straße', 'strasse'],
    ['Łódź', 'lodz'],
    ['Ёлка Йод', 'елка йод'],
    ['ΆΣ ας', 'ασ ασ'],
    ['ﬁne ½', 'fine 1⁄2'],
  ])('takes case and accents off %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('takes linear time for a letter with a hundred thousand marks', () => {
    const began = performance.now();
    expect(fold(`Á${'\u0323\u0301'.repeat(50_000)}B`)).toBe('ab');
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('takes linear time in the database, too', timed, async () => {
    const text = `Á${'\u0323\u0301'.repeat(20_000)}B`;
    const began = performance.now();
    expect(await column('SELECT search_fold($1)', [text])).toEqual(['ab']);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('knows the same marks in the database', () => {
    const sql = readFileSync(join(packageRoot, 'prisma/functions/search_fold.sql'), 'utf8');
    expect(sql.split(`[${nonStarters}]`)).toHaveLength(4);
  });

  it('is the same in the database', async () => {
    const folded = await column('SELECT search_fold(t) FROM unnest($1::text[]) WITH ORDINALITY AS u(t, i) ORDER BY i', [
      samples,
    ]);
    expect(folded).toEqual(samples.map(fold));
  });
});

describe('words', () => {
  it.each([
    ['R&B, wi-fi', ['r', 'b', 'wi', 'fi']],
    ['«¿Qué?» — l’été…', ['que', 'l', 'ete']],
    ['mp3 4k 16:9', ['mp3', '4k', '16', '9']],
    ['🌅 sun☀rise', ['sun', 'rise']],
    ['…', []],
  ])('of %s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are the same in the database', async () => {
    const clean = await column(
      'SELECT search_normalize(t) FROM unnest($1::text[]) WITH ORDINALITY AS u(t, i) ORDER BY i',
      [samples],
    );
    expect(
      clean.map((text) =>
        String(text)
          .split(' ')
          .filter((word) => word !== ''),
      ),
    ).toEqual(samples.map(wordsOf));
  });

  it('are indexed one by one, in order', async () => {
    const letters = 'abzéñйё0123456789'.split('');
    const texts = fc
      .sample(fc.string({ unit: fc.constantFrom(...letters, ' '), maxLength: 20 }), { numRuns: 1000, seed: 7 })
      // PostgreSQL reads 80e7n as a number and a letter; formulas go the same way.
      .filter((text) => !/\de\d/.test(fold(text)));
    const lexemes = await column(
      `SELECT COALESCE((SELECT string_agg(lexeme, ' ' ORDER BY position) FROM unnest(search_words_of(t)), unnest(positions) AS position), '')
       FROM unnest($1::text[]) WITH ORDINALITY AS u(t, i) ORDER BY i`,
      [texts],
    );
    expect(lexemes).toEqual(texts.map((text) => wordsOf(text).join(' ')));
  });
});

describe('a word in its language', () => {
  it.each([
    ['en', 'Houses', 'house'],
    ['es', 'canciones', 'canción'],
    ['es', 'CANCION', 'canciones'],
    ['es', 'Árboles', 'arbol'],
    ['es', 'misiones', 'misión'],
    ['es', 'isla', 'islas'],
    ['es', 'ríos', 'río'],
    ['es', 'ojos', 'ojo'],
    ['es', 'un año', 'años'],
    ['es', 'luces', 'luz'],
    ['es', 'pez', 'peces'],
    ['pt', 'ilhas', 'ilha'],
    ['pt', 'rua', 'ruas'],
    ['pt', 'informações', 'informação'],
    ['pt', 'informacao', 'informações'],
    ['fr', 'éléphants', 'elephant'],
    ['fr', 'montagnes', 'montagne'],
    ['ru', 'новый', 'новая'],
    ['ru', 'ёлки', 'елка'],
    ['ru', 'Дома', 'дом'],
  ])('in %s, %s and %s are one', async (lang, text, word) => {
    const [is] = await column('SELECT search_stems_of($1, $2) @@ search_forms(ARRAY[$1], $3)', [
      lang,
      text,
      wordsOf(word)[0],
    ]);
    expect(is).toBe(true);
  });

  it('keeps the words that stemmers call stop words', async () => {
    expect(await column(`SELECT search_stems_of('en', 'the')::text`, [])).toEqual(["'the':1"]);
  });
});
