import type pg from 'pg';
import type { Context } from './queries.ts';
import { accented, tokens } from './queries.ts';
import { languages, places, records, vocabulary } from './records.ts';

/** Puts the records into two tenants, 1 and 2. */
export async function insertRecords(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine'), (2, 'theirs')`);
  for (const tenant of [1, 2]) {
    for (const { date, colors, id, ...row } of records) {
      const [text = null, first = null, last = null] = date ?? [];
      const values = {
        ...row,
        tenant_id: tenant,
        image_id: id,
        date: text,
        date_start: first,
        date_end: last,
        colors: colors && JSON.stringify(colors),
        format: 'png',
        byte_size: 1,
        checksum: Buffer.of(0),
      };
      const names = Object.keys(values);
      await client.query(
        `INSERT INTO image (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
        Object.values(values),
      );
    }
  }
}

/** The forms of all words, as the dictionaries of the database give them. */
export async function learnStems(client: pg.Client): Promise<Context['stem']> {
  const stems = new Map<string, string>();
  const words = [...new Set([...vocabulary, ...places].flatMap(tokens))].filter((word) => !/\d/.test(word));
  for (const lang of languages) {
    const given = words.map((word) => accented(lang, word));
    const { rows } = await client.query<{ word: string; stem: string }>(
      `SELECT word, (ts_lexize('search_${lang}', word))[1] AS stem FROM unnest($1::text[]) AS word`,
      [given],
    );
    for (const { word, stem } of rows) stems.set(`${lang} ${word}`, stem);
  }
  return (lang, word) => stems.get(`${lang} ${word}`) ?? word;
}
