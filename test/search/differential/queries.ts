import fc from 'fast-check';
import { languages, places, vocabulary } from './records.ts';
import type { Row } from './records.ts';

/**
 * A formula with the meaning it must have, worked out without the service's code: what a record
 * answers is computed by plain comparisons here.
 */
export type SearchQuery = Readonly<{ text: string; holds: (row: Row, context: Context) => boolean }>;

export type Context = Readonly<{
  /** The form of a word in a language, as the dictionary of the database gives it. */
  stem: (lang: string, word: string) => string;
  /** Languages that the words of the question are analyzed in. */
  langs: readonly string[];
}>;

/** Accents and case off. Only what the records hold is known here. */
function plain(text: string): string {
  const letters: Record<string, string> = {
    á: 'a',
    é: 'e',
    í: 'i',
    ó: 'o',
    ú: 'u',
    ñ: 'n',
    ã: 'a',
    õ: 'o',
    ç: 'c',
    ё: 'е',
    ß: 'ss',
  };
  return [...text.toLowerCase()].map((letter) => letters[letter] ?? letter).join('');
}

export const tokens = (text: string): string[] => plain(text).match(/[a-z0-9а-я]+/g) ?? [];

/** What a stemmer is given: the ending that it knows by its accent has the accent back. */
export function accented(lang: string, word: string): string {
  if (lang === 'es') return word.replace(/([cs])ion$/, '$1ión');
  if (lang === 'pt') return word.replace(/cao$/, 'ção').replace(/coes$/, 'ções');
  return word;
}

const texts = ['title', 'headline', 'caption', 'alt_text', 'event', 'location', 'city', 'country', 'author'] as const;
const lists = ['keywords', 'categories', 'collections'] as const;

/** Every value that bare text looks in. */
function bareValues(row: Row): string[] {
  const values = texts.map((name) => row[name]).filter((value) => value !== null);
  return [...values, ...(row.keywords ?? []), ...(row.categories ?? [])];
}

function hasWord(value: string, word: string, { lang }: Row, { stem, langs }: Context): boolean {
  return tokens(value).some(
    (own) => own === word || langs.some((each) => stem(each, accented(each, word)) === stem(lang, accented(lang, own))),
  );
}

function hasPhrase(value: string, phrase: readonly string[], isPrefix = false): boolean {
  const own = tokens(value);
  return own.some((_, at) =>
    phrase.every((word, index) => {
      const found = own[at + index] ?? '';
      return isPrefix && index === phrase.length - 1 ? found.startsWith(word) : found === word;
    }),
  );
}

type Match = (value: string, row: Row, context: Context) => boolean;
type Words = Readonly<{ text: string; match: Match }>;

const quote = (text: string) => `"${text.replaceAll('"', '\\"')}"`;
const word = fc.constantFrom(...vocabulary);

function oneWord(text: string): Words {
  const parts = tokens(text);
  const [only = ''] = parts;
  const escaped = text.replaceAll("'", "\\'");
  return {
    text: escaped,
    match: (value, row, context) => (parts.length > 1 ? hasPhrase(value, parts) : hasWord(value, only, row, context)),
  };
}

const words: fc.Arbitrary<Words> = fc.oneof(
  word.map(oneWord),
  fc.tuple(word, fc.option(word)).map(([a, b]) => {
    const text = b === null ? a : `${a} ${b}`;
    return { text: quote(text), match: (value: string) => hasPhrase(value, tokens(text)) };
  }),
  fc.tuple(word, fc.integer({ min: 1, max: 4 })).map(([own, length]) => {
    const start = (tokens(own)[0] ?? '').slice(0, length);
    return { text: `${start}*`, match: (value: string) => hasPhrase(value, [start], true) };
  }),
);

const bare: fc.Arbitrary<SearchQuery> = words.map(({ text, match }) => ({
  text: text === 'i*' ? '"i"*'.replace('"*', '"') : text,
  holds: (row, context) =>
    text === 'i*'
      ? bareValues(row).some((value) => hasPhrase(value, ['i']))
      : bareValues(row).some((value) => match(value, row, context)),
}));

const fieldText: fc.Arbitrary<SearchQuery> = fc
  .tuple(fc.constantFrom('title', 'caption', 'event', 'location', 'ocr', 'alt_text'), words)
  .map(([name, { text, match }]) => ({
    text: `${name}:${text}`,
    holds: (row, context) => {
      const value = row[name as 'title'];
      return value !== null && match(value, row, context);
    },
  }));

/** The values of a field, whole. */
const wholes = (row: Row, name: string): string[] => [row[name as 'city'] ?? []].flat();
const whole = fc.oneof(fc.constantFrom(...places.filter((own) => own !== '')), word);
const wholeField = fc.constantFrom('city', 'country', 'status', 'author', 'keywords', 'collections', 'src');

const equal: fc.Arbitrary<SearchQuery> = fc
  .tuple(wholeField, fc.constantFrom(':', '=', '!='), fc.array(whole, { minLength: 1, maxLength: 3 }))
  .map(([name, comparator, values]) => ({
    text: `${name}${comparator}${values.map(quote).join(',')}`,
    holds: (row) =>
      wholes(row, name).some((own) => values.some((value) => plain(own) === plain(value))) !== (comparator === '!='),
  }));

const wholeText: fc.Arbitrary<SearchQuery> = fc.constantFrom('the', 'playa', 'Straße', 'strasse').map((value) => ({
  text: `title=${value}`,
  holds: ({ title }) => title !== null && plain(title) === plain(value),
}));

const beginning: fc.Arbitrary<SearchQuery> = fc
  .tuple(wholeField, fc.constantFrom('s', 'ES', 'esp', 'San', 'ho', 'http'))
  .map(([name, start]) => ({
    text: `${name}:${start}*`,
    holds: (row) => wholes(row, name).some((own) => plain(own).startsWith(plain(start))),
  }));

const group: fc.Arbitrary<SearchQuery> = fc
  .tuple(fc.constantFrom('keywords', 'country'), whole, whole, whole)
  .map(([name, a, b, c]) => {
    const has = (row: Row, value: string) => wholes(row, name).some((own) => plain(own) === plain(value));
    return {
      text: `${name}:(${quote(a)} | ${quote(b)} -${quote(c)})`,
      holds: (row) => has(row, a) || (has(row, b) && !has(row, c)),
    };
  });

const id: fc.Arbitrary<SearchQuery> = fc.constantFrom('Id-3', 'id-3', 'id-4', 'none').map((value) => ({
  text: `id:${value}`,
  holds: (row) => row.id === value,
}));

const presence: fc.Arbitrary<SearchQuery> = fc
  .tuple(
    fc.constantFrom('title', 'ocr', 'city', 'src', 'n_faces', 'nsfw', 'date', 'color', ...lists),
    fc.constantFrom('has', 'no', '*'),
  )
  .map(([name, how]) => ({
    text: how === '*' ? `${name}:*` : `${how}:${name}`,
    holds: (row) => {
      const value = row[(name === 'color' ? 'colors' : name) as 'title'];
      const isPresent = value !== null && (typeof value === 'boolean' || typeof value === 'number' || value.length > 0);
      return isPresent !== (how === 'no');
    },
  }));

const number: fc.Arbitrary<SearchQuery> = fc
  .tuple(
    fc.constantFrom('n_faces', 'width', 'height', 'keywords.count'),
    fc.constantFrom(':', '=', '!=', '<', '<=', '>', '>=', '..'),
    fc.constantFrom(0, 1, 2, 3, 100, 200, 1600),
    fc.constantFrom(3, 200, 1900),
  )
  .map(([name, comparator, value, other]) => {
    const [low, high] = [Math.min(value, other), Math.max(value, other)];
    const text = comparator === '..' ? `${name}:${low}..${high}` : `${name}${comparator}${value}`;
    return {
      text,
      holds: (row) => {
        const own = name === 'keywords.count' ? (row.keywords ?? []).length : row[name as 'n_faces'];
        if (own === null) return comparator === '!=';
        return compare(own, comparator, value, low, high);
      },
    };
  });

function compare(own: number, comparator: string, value: number, low: number, high: number): boolean {
  switch (comparator) {
    case '!=':
      return own !== value;
    case '<':
      return own < value;
    case '<=':
      return own <= value;
    case '>':
      return own > value;
    case '>=':
      return own >= value;
    case '..':
      return own >= low && own <= high;
    default:
      return own === value;
  }
}

const shape: fc.Arbitrary<SearchQuery> = fc.oneof(
  fc.constantFrom('landscape', 'portrait', 'square', 'panorama').chain((name) =>
    fc.constantFrom(`is:${name}`, `orientation:${name}`, `orientation!=${name}`).map((text) => ({
      text,
      holds: ({ width, height }: Row) => {
        const own = shapeOf(width, height);
        return (own === name) !== text.includes('!=');
      },
    })),
  ),
  fc.constantFrom<SearchQuery>(
    { text: 'aspect_ratio:16:9', holds: ({ width, height }) => Math.abs(width / height - 16 / 9) <= 0.01 * (16 / 9) },
    {
      text: 'aspect_ratio:1x1,2',
      holds: ({ width, height }) => [1, 2].some((r) => Math.abs(width / height - r) <= 0.01 * r),
    },
    { text: 'aspect_ratio>1.5', holds: ({ width, height }) => width / height > 1.5 },
    { text: 'aspect_ratio:..1', holds: ({ width, height }) => width <= height },
  ),
);

function shapeOf(width: number, height: number): string {
  if (width / height >= 2) return 'panorama';
  if (Math.max(width, height) / Math.min(width, height) <= 1.05) return 'square';
  return width > height ? 'landscape' : 'portrait';
}

const boolean: fc.Arbitrary<SearchQuery> = fc
  .tuple(
    fc.constantFrom('nsfw', 'ai_generated', 'bw'),
    fc.constantFrom('true', 'no', 'null', 'is', '!true', 'true,null'),
  )
  .map(([name, how]) => ({
    text: how === 'is' ? `is:${name}` : how === '!true' ? `${name}!=true` : `${name}:${how}`,
    holds: (row) => {
      const own = row[name as 'nsfw'];
      if (how === 'true,null') return own !== false;
      if (how === '!true') return own !== true;
      return own === { true: true, is: true, no: false, null: null }[how];
    },
  }));

/** Date literals at noon of 2024-06-15 with their first day and the day after their last. */
const literals: readonly (readonly [string, string, string])[] = [
  ['2024', '2024-01-01', '2025-01-01'],
  ['2024-02', '2024-02-01', '2024-03-01'],
  ['2024-06-15', '2024-06-15', '2024-06-16'],
  ['1999', '1999-01-01', '2000-01-01'],
  ['0987', '0987-01-01', '0988-01-01'],
  ['today', '2024-06-15', '2024-06-16'],
  ['yesterday', '2024-06-14', '2024-06-15'],
  ['thisweek', '2024-06-10', '2024-06-17'],
  ['lastweek', '2024-06-03', '2024-06-10'],
  ['thismonth', '2024-06-01', '2024-07-01'],
  ['lastmonth', '2024-05-01', '2024-06-01'],
  ['thisyear', '2024-01-01', '2025-01-01'],
  ['lastyear', '2023-01-01', '2024-01-01'],
  ['-30d', '2024-05-16', '2024-05-17'],
  ['-1mo', '2024-05-15', '2024-05-16'],
  ['-1y', '2023-06-15', '2023-06-16'],
  ['-2w', '2024-06-01', '2024-06-02'],
];

const date: fc.Arbitrary<SearchQuery> = fc
  .tuple(
    fc.constantFrom('date', 'created_at'),
    fc.constantFrom(...literals),
    fc.constantFrom(...literals),
    fc.constantFrom(':', '!=', '<', '<=', '>', '>=', 'a..b', 'a..', '..b'),
  )
  .map(([name, a, b, how]) => {
    const [low, high] = a[1] < b[1] ? [a, b] : [b, a];
    const last = low[2] > high[2] ? low : high;
    const ranges: Record<string, string> = {
      'a..b': `:${low[0]}..${last[0]}`,
      'a..': `:${low[0]}..`,
      '..b': `:..${low[0]}`,
    };
    const text = ranges[how] ?? `${how}${low[0]}`;
    const [, first, after] = low;
    const range: Record<string, readonly [from: string, to: string]> = {
      '<': ['0000', first],
      '<=': ['0000', after],
      '>': [after, '9999'],
      '>=': [first, '9999'],
      'a..b': [first, last[2]],
      'a..': [first, '9999'],
      '..b': ['0000', after],
    };
    const [from, to] = range[how] ?? [first, after];
    return {
      text: `${name}${text}`,
      holds: (row) => {
        const own = name === 'date' ? row.date?.slice(1) : [row.created_at, row.created_at];
        const isInside = own !== undefined && (own[0] ?? '') >= from && (own[1] ?? '') < to;
        return isInside !== (how === '!=');
      },
    };
  });

const moment: fc.Arbitrary<SearchQuery> = fc.constantFrom<SearchQuery>(
  { text: 'created_at:-1h..', holds: (row) => row.created_at >= '2024-06-15T11:00' },
  { text: 'created_at:2024-06-14T23:59', holds: (row) => row.created_at.startsWith('2024-06-14T23:59') },
  { text: 'created_at<2024-06-15T02:00+02:00', holds: (row) => row.created_at < '2024-06-15T00:00' },
  { text: 'created_at<now', holds: (row) => row.created_at < '2024-06-15T12:00' },
);

const color: fc.Arbitrary<SearchQuery> = fc
  .constantFrom<readonly [text: string, least: number, shades: readonly string[]]>(
    ['navy', 0, ['navy', 'midnightblue']],
    ['navy@30', 30, ['navy', 'midnightblue']],
    ['red@10.5', 10.5, ['red']],
    ['000080@30', 30, ['navy', 'midnightblue']],
    ['azul@60', 60, ['navy', 'midnightblue', 'steelblue']],
    ['steelblue@20', 20, ['steelblue']],
    ['синий', 0, ['navy', 'midnightblue', 'steelblue']],
  )
  .map(([text, least, shades]) => ({
    text: `color:${text}`,
    holds: ({ colors }: Row) => {
      const own = (colors ?? []).filter(({ name }) => shades.includes(name));
      return own.length > 0 && own.reduce((sum, { percent }) => sum + percent, 0) >= least;
    },
  }));

const leaf: fc.Arbitrary<SearchQuery> = fc.oneof(
  { weight: 5, arbitrary: bare },
  { weight: 3, arbitrary: fieldText },
  { weight: 4, arbitrary: equal },
  { weight: 2, arbitrary: date },
  { weight: 2, arbitrary: number },
  wholeText,
  beginning,
  group,
  id,
  presence,
  shape,
  boolean,
  moment,
  color,
  fc.constant<SearchQuery>({ text: '*', holds: () => true }),
);

/** Questions joined and negated. */
export function anyQuery(depth = 3): fc.Arbitrary<SearchQuery> {
  if (depth === 0) return leaf;
  const inner = anyQuery(depth - 1);
  const several = fc.array(inner, { minLength: 2, maxLength: 3 });
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    several.map<SearchQuery>((items) => ({
      text: `(${items.map(({ text }) => text).join(' ')})`,
      holds: (row, context) => items.every(({ holds }) => holds(row, context)),
    })),
    several.map<SearchQuery>((items) => ({
      text: `(${items.map(({ text }) => text).join(' OR ')})`,
      holds: (row, context) => items.some(({ holds }) => holds(row, context)),
    })),
    inner.map<SearchQuery>(({ text, holds }) => ({
      text: `NOT (${text})`,
      holds: (row, context) => !holds(row, context),
    })),
  );
}

/** Every language that a question can be analyzed in, as `lang` names it. */
export const analyzed: Readonly<Record<'ml' | 'en' | 'es', readonly string[]>> = {
  ml: languages,
  en: ['en'],
  es: ['es'],
};
