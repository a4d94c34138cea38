import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Condition, Test } from './formula/index.ts';
import { languagesOf } from './formula/to-sql.ts';
import { leavesOf, mapTree } from './formula/tree.ts';
import type { Question } from './question.ts';

/** Words are corrected by one edit from so many letters on, by two from so many. */
const letters = { one: 5, two: 9 } as const;
/** Longer words are not in the vocabulary. */
const maxLetters = 40;
/** Most words of a formula that are looked up, and most meanings of one. */
const limits = { words: 20, meanings: 8 } as const;

/** Which words of `$2`, analysed in `$3`, are in no text of the tenant's. */
const unknownWords = {
  image: unknownStatement('image'),
  video: unknownStatement('video'),
};

function unknownStatement(resource: Question['resource']) {
  return tenantStatement(
    `unknown-words-of-${resource}s`,
    `SELECT word FROM unnest($2::text[]) AS word WHERE NOT EXISTS
       (SELECT FROM ${resource} WHERE tenant_id = $1
        AND (stems @@ search_forms($3::text[], word) OR words @@ plainto_tsquery('search_words', word)))`,
  );
}

/** Words at most `$3` edits from `$2`; the words of `$4` are `$2` with two neighbours swapped, which is one edit. */
const meanings = tenantStatement(
  'meanings-of-word',
  `SELECT word FROM search_word WHERE tenant_id = $1
     AND char_length(word) BETWEEN char_length($2::text) - $3::int AND char_length($2::text) + $3::int
     AND (word = ANY ($4::text[]) OR levenshtein_less_equal(word, $2::text, $3::int) <= $3::int)
   ORDER BY NOT word = ANY ($4::text[]) AND levenshtein_less_equal(word, $2::text, $3::int) > 1, word LIMIT ${limits.meanings}`,
);

/**
 * The question with what its mistyped words may have meant. A word that some record holds is never
 * corrected, nor is one in a phrase, a prefix, with a digit in it, or asked of one field.
 */
export async function correctWords(db: TenantDb, question: Question): Promise<Question> {
  const { condition, lang, resource } = question;
  if (condition === null) return question;
  const asked = [...new Set(leavesOf<Test>(condition).flatMap((test) => correctable(test) ?? []))].slice(
    0,
    limits.words,
  );
  if (asked.length === 0) return question;
  const { rows } = await db.query<{ word: string }>(unknownWords[resource], [asked, languagesOf(lang)]);
  const meant = new Map<string, readonly string[]>();
  for (const { word } of rows) meant.set(word, await findMeanings(db, word));
  if ([...meant.values()].every((words) => words.length === 0)) return question;
  const correct = (test: Test): Condition => {
    const words = meant.get(correctable(test) ?? '') ?? [];
    return words.length === 0 || test.kind !== 'words' ? test : { ...test, meanings: words };
  };
  return { ...question, condition: mapTree<Test, Test>(condition, correct) };
}

/** The word of a test that may be corrected, or null. */
function correctable(test: Test): string | null {
  if (test.kind !== 'words' || test.form !== 'word' || test.field.name !== 'text') return null;
  const [word = ''] = test.words;
  const length = [...word].length;
  return test.words.length === 1 && length >= letters.one && length <= maxLetters && !/\p{N}/u.test(word) ? word : null;
}

async function findMeanings(db: TenantDb, word: string): Promise<string[]> {
  const signs = [...word];
  const edits = signs.length >= letters.two ? 2 : 1;
  const swapped = signs.slice(1).map((sign, index) =>
    signs
      .with(index, sign)
      .with(index + 1, signs[index] ?? '')
      .join(''),
  );
  const { rows } = await db.query<{ word: string }>(meanings, [word, edits, swapped]);
  return rows.map((row) => row.word);
}
