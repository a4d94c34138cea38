import { findFormulaField } from '../../catalog/index.ts';
import type { FormulaField, Resource } from '../../catalog/index.ts';
import { tenantRead } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { compileCondition, longestWord } from '../formula/to-sql.ts';
import type { SearchLanguage } from '../formula/to-sql.ts';
import { wordsOf } from '../formula/words.ts';
import { createParameters } from './search-query.ts';
import { functionWords } from './function-words.ts';

/** Maximum number of words that are compared: the first ones of a longer text. */
const maxWords = 24;

/** Returns the words of a text that describe a picture. */
export function contentWords(text: string): string[] {
  const all = wordsOf(text).filter((word) => word.length <= longestWord);
  const contentful = all.filter((word) => !functionWords.has(word));
  return [...new Set(contentful.length === 0 ? all : contentful)].slice(0, maxWords);
}

/**
 * Returns how well each image or video matches a text: which fraction of the text's words is in its concepts or
 * stored texts. Only includes records that match at least one word.
 */
export async function scoreText(
  db: TenantDb,
  text: string,
  { lang, resource }: Readonly<{ lang: SearchLanguage; resource: Resource }>,
): Promise<Map<number, number>> {
  const words = contentWords(text);
  if (words.length === 0) return new Map();
  const { values, parameter } = createParameters();
  const field = findFormulaField('text') as FormulaField;
  const span = { start: 0, end: 0 };
  const holds = words.map((word) =>
    compileCondition({ kind: 'words', field, form: 'word', words: [word], span }, { resource, lang, parameter }),
  );
  const count = holds.map((each) => `(${each})::int`).join(' + ');
  const statement = tenantRead(
    `SELECT row_id::text AS id, ${count} AS count FROM ${resource} WHERE tenant_id = $1 AND (${holds.join(' OR ')})`,
  );
  const { rows } = await db.query<{ id: string; count: number }>(statement, values);
  return new Map(rows.map(({ id, count: found }) => [Number(id), found / words.length]));
}
