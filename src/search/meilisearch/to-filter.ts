import { bareFieldsOf } from '../../catalog/index.ts';
import type { FormulaKind, Resource } from '../../catalog/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import { longestTerm } from '../formula/to-sql.ts';
import type { SearchLanguage } from '../formula/to-sql.ts';
import { isBranch, leavesOf } from '../formula/tree.ts';
import { fold } from '../formula/words.ts';
import { accessOf, attributeOf } from './attributes.ts';
import { encodeToken, isWholePrefix } from './tokens.ts';
import type { WordForms } from './word-forms.ts';

/** What a filter depends on: the resource, the language, and the forms of the query's words. */
type FilterOptions = Readonly<{
  resource: Resource;
  lang: SearchLanguage;
  forms: ReadonlyMap<string, WordForms>;
}>;

type Of<Kind extends Test['kind']> = Extract<Test, { kind: Kind }>;

/** Words longer than this are never sent to Meilisearch. */
const longestWord = 60;
/** Decimal digits that a double represents exactly. */
const exactDigits = 15;

const everything = 'tenant EXISTS';

/** Thrown if Meilisearch cannot answer exactly, so that PostgreSQL must. */
class Inexact extends Error {}

/** Returns the words whose forms are needed for a filter. */
export function wordsToKnow(condition: Condition): string[] {
  return leavesOf<Test>(condition).flatMap((test) => (test.kind === 'words' ? wordsOfTest(test) : []));
}

function wordsOfTest({ field, words, meanings = [] }: Of<'words'>): readonly string[] {
  return field.name === 'text' && words.length === 1 ? [...words, ...meanings] : [];
}

/**
 * Compiles the condition to a Meilisearch filter that finds exactly the records that SQL finds.
 *
 * @returns null if there is no such filter.
 */
export function compileFilter(condition: Condition, options: FilterOptions): string | null {
  try {
    return compile(condition, options);
  } catch (error) {
    if (error instanceof Inexact) return null;
    throw error;
  }
}

function compile(condition: Condition, options: FilterOptions): string {
  if (!isBranch<Test>(condition)) return compileTest(condition, options);
  if (condition.kind === 'not') return `NOT (${compile(condition.item, options)})`;
  const parts = condition.items.map((item) => `(${compile(item, options)})`);
  return parts.join(condition.kind === 'and' ? ' AND ' : ' OR ');
}

function compileTest(test: Test, options: FilterOptions): string {
  switch (test.kind) {
    case 'everything':
      return everything;
    case 'words':
      return compileWords(test, options);
    case 'value':
      return compileValue(test);
    case 'present':
      if (test.field.name !== 'text') return compilePresent(test);
      return equalsAny(
        'has',
        bareFieldsOf(options.resource).map(({ name }) => name),
      );
    case 'range':
      return compileRange(test);
    case 'period':
      return compilePeriod(test);
    case 'boolean':
      return test.value === null
        ? `NOT (${equals('has', test.field.name)})`
        : equals(attributeOf.facet(test.field.name), String(test.value));
    case 'color':
      // The fractions of several shades would have to be added up, which Meilisearch cannot do.
      if (test.percent > 0 && test.shades.length > 1) throw new Inexact('color');
      return test.shades.map((shade) => `${quote(attributeOf.color(shade))} >= ${test.percent}`).join(' OR ');
    case 'collection':
      throw new Inexact('collection');
    case 'similarity':
      throw new Inexact('similarity');
    default:
      return test satisfies never;
  }
}

function compileWords(test: Of<'words'>, options: FilterOptions): string {
  const { field, form, words } = test;
  const [word = ''] = words;
  if (field.name !== 'text' || words.length !== 1 || form === 'phrase') throw new Inexact('words');
  if (form === 'word') return equalsAny('tokens', wordTokens(test, options));
  if (options.forms.get(word)?.isPrefix !== true || !isWholePrefix(`w:${word}`)) throw new Inexact('prefix');
  return ['=', 'w:'].map((mark) => startsWith('tokens', encodeToken(`${mark}${word}`))).join(' OR ');
}

/** Returns tokens; a matching record contains at least one of them. */
function wordTokens(test: Of<'words'>, { lang, forms: known }: FilterOptions): string[] {
  return [...new Set(wordsOfTest(test).flatMap((word) => tokensOfWord(word, known.get(word), lang)))];
}

function tokensOfWord(word: string, found: WordForms | undefined, lang: SearchLanguage): string[] {
  if (word.length > longestWord || !found?.forms || found.plain === null) throw new Inexact('word');
  const stems = found.forms.flatMap((form) => [`=${form}`, `s:${form}`]);
  // Stems are in the record's own language, which includes the word as written.
  const plain = lang === 'ml' ? [] : plainTokens(found.plain);
  return [...stems.map(encodeToken), ...plain];
}

/** Returns the tokens of a word that appears in a record as written. */
export function plainTokens(word: string): string[] {
  return [`=${word}`, `w:${word}`].map(encodeToken);
}

function compileValue({ field, isPrefix, text }: Of<'value'>): string {
  const { name } = field;
  const access = accessOf(field);
  if (access === 'value' && !isPrefix) return equals(attributeOf.facet(name), encodeToken(text));
  const folded = fold(text);
  if (access !== 'terms' || folded.length > longestTerm || folded === '') throw new Inexact('value');
  const term = `${name}=${folded}`;
  if (!isPrefix) return equals('terms', encodeToken(term));
  if (!isWholePrefix(term)) throw new Inexact('prefix');
  return startsWith('terms', encodeToken(term));
}

function compilePresent({ field }: Of<'present'>): string {
  if (accessOf(field) === null) throw new Inexact('present');
  return equals('has', field.name);
}

function compileRange({ field, low, high }: Of<'range'>): string {
  if (accessOf(field) !== 'number') throw new Inexact('range');
  const attribute = attributeOf.number(field.name);
  const parts = [
    low && `${attribute} >${low.isIncluded ? '=' : ''} ${exactNumber(low.value, field.kind)}`,
    high && `${attribute} <${high.isIncluded ? '=' : ''} ${exactNumber(high.value, field.kind)}`,
  ];
  return parts.filter((part) => part !== null).join(' AND ');
}

/** Meilisearch compares doubles, which are exact up to `exactDigits`; ratios and durations are doubles in PostgreSQL too. */
function exactNumber(text: string, kind: FormulaKind): string {
  const digits = text.replace(/^[-+]?0*/, '').replace('.', '').length;
  const isExact = kind === 'number' ? digits <= exactDigits : String(Number(text)) === text;
  if (!isExact || !/^[-+]?\d+(?:\.\d+)?$/.test(text)) throw new Inexact('number');
  return String(Number(text));
}

/** A record's date may be a period, too; it matches if all of it is inside. */
function compilePeriod({ field, from, to }: Of<'period'>): string {
  const { name } = field;
  const isDate = accessOf(field) === 'date';
  const [first, last] = isDate
    ? [attributeOf.from(name), attributeOf.to(name)]
    : [attributeOf.number(name), attributeOf.number(name)];
  const moment = (time: string) => (isDate ? daysOf(time.replace(/T.*/, '')) : millisecondsOf(time));
  const parts = [from !== null && `${first} >= ${moment(from)}`, to !== null && `${last} < ${moment(to)}`];
  return parts.filter((part) => part !== false).join(' AND ') || equals('has', name);
}

function daysOf(date: string): number {
  return Math.floor(millisecondsOf(`${date}T00:00:00.000Z`) / 86_400_000);
}

/** JavaScript only parses years after 9999 with a sign in front. */
function millisecondsOf(time: string): number {
  const milliseconds = Date.parse(/^\d{5}-/.test(time) ? `+0${time}` : time);
  if (Number.isNaN(milliseconds)) throw new Inexact('moment');
  return milliseconds;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function equals(attribute: string, value: string): string {
  return `${attribute} = ${quote(value)}`;
}

function startsWith(attribute: string, value: string): string {
  return `${attribute} STARTS WITH ${quote(value)}`;
}

export function equalsAny(attribute: string, values: readonly string[]): string {
  return values.length === 1 ? equals(attribute, values[0] ?? '') : `${attribute} IN [${values.map(quote).join(', ')}]`;
}
