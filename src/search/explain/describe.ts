import { colorInSpanish } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { SimilarityTerm } from '../formula/ast.ts';
import type { Condition, Test } from '../formula/index.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { isBranch } from '../formula/tree.ts';
import { labelOf } from './labels.ts';
import type { Locale } from '../../catalog/index.ts';
import { phrases } from './phrases.ts';
import type { Phrases } from './phrases.ts';
import { describeSimilarity } from './similarity-words.ts';
import type { Titles } from './similarity-words.ts';

type Of<Kind extends Test['kind']> = Extract<Test, { kind: Kind }>;
type Say = Readonly<{
  resource: Resource;
  locale: Locale;
  say: Phrases;
  titles: Titles;
  /** Descriptions made so far, by condition: as a part of another condition, and on its own. */
  known: Readonly<Record<'inner' | 'outer', Map<Condition, string>>>;
}>;

/** Characters after which a sentence is cut, because nobody reads more. */
const maxSentence = 2_000;

/** Describes a condition in one plain sentence. Null matches everything. */
export type Describe = (condition: Condition | null) => string;

/** Creates a function that describes conditions; it phrases a part once, even if several sentences contain it. */
export function createDescriber(resource: Resource, locale: Locale, titles: Titles = new Map()): Describe {
  const say = phrases[locale];
  const how = { resource, locale, say, titles, known: { inner: new Map(), outer: new Map() } };
  return (condition) => {
    if (condition === null) return `${say.everything}.`;
    return excerpt(`${say.subject[resource]}${say.that(describe(condition, how, false))}.`, maxSentence);
  };
}

function describe(condition: Condition, how: Say, isInner: boolean): string {
  const known = how.known[isInner ? 'inner' : 'outer'];
  let text = known.get(condition);
  if (text === undefined) known.set(condition, (text = toText(condition, how, isInner)));
  return text;
}

function toText(condition: Condition, how: Say, isInner: boolean): string {
  const { say } = how;
  if (condition.kind === 'similarity') return describeSimilarity(condition, { ...how, isNegated: false });
  const whole = objectOf(condition, how);
  if (whole !== null) return say.have(whole);
  if (!isBranch<Test>(condition)) return '';
  if (condition.kind === 'not') {
    if (condition.item.kind === 'similarity') return describeSimilarity(condition.item, { ...how, isNegated: true });
    const object = objectOf(condition.item, how);
    return object === null ? say.not(describe(condition.item, how, true), how.resource) : say.haveNot(object);
  }
  const parts = condition.items.map((item) => describe(item, how, true));
  return condition.kind === 'and' ? say.and(parts, isInner) : say.or(parts);
}

/**
 * Returns what a matching record has, as a grammatical object; null for a combination that needs a clause of its own.
 */
function objectOf(condition: Condition, how: Say): string | null {
  if (condition.kind === 'similarity') return null;
  if (!isBranch<Test>(condition)) return describeTest(condition, how);
  if (condition.kind !== 'or') return null;
  const values = condition.items.filter((item): item is Of<'value'> => item.kind === 'value' && !item.isPrefix);
  const [first] = values;
  const isOneField = values.length === condition.items.length && values.every(({ field }) => field === first?.field);
  if (first === undefined || !isOneField) return null;
  return how.say.as(how.say.anyOf(values.map((each) => shown(each, how))), labelOf(first.field.name, how.locale));
}

function shown({ field, text }: Of<'value'>, { say }: Pick<Say, 'say'>): string {
  return say.quoted(field.kind === 'enum' ? (say.shapes[text] ?? text) : text);
}

function describeTest(test: Exclude<Test, SimilarityTerm>, { locale, say }: Pick<Say, 'locale' | 'say'>): string {
  const label = 'field' in test ? labelOf(test.field.name, locale) : '';
  switch (test.kind) {
    case 'everything':
      return say.anything;
    case 'words': {
      const form = test.form === 'word' && test.words.length > 1 ? 'phrase' : test.form;
      const what = say.words[form](test.words.join(' '));
      const meanings = (test.meanings ?? []).map(say.quoted);
      const meant = meanings.length === 0 ? what : say.meaning(what, say.anyOf(meanings));
      return test.field.name === 'text' ? meant : say.within(meant, label);
    }
    case 'value': {
      const value = shown(test, { say });
      return say.as(test.isPrefix ? say.beginning(value) : value, label);
    }
    case 'collection':
      return say.member(say.quoted(test.name));
    case 'present':
      return say.present(label);
    case 'range':
      return describeRange(test, label, say);
    case 'period':
      return describePeriod(test, label, say);
    case 'boolean':
      return say.answer(say.answers[`${test.value}`], label);
    case 'color':
      return say.color(locale === 'es' ? colorInSpanish(test.name) : test.name, test.percent);
    default:
      return test satisfies never;
  }
}

function describeRange({ low, high }: Of<'range'>, label: string, say: Phrases): string {
  const number = (text: string) => (/\.\d{4}/.test(text) ? String(Math.round(Number(text) * 1000) / 1000) : text);
  return say.range(label, {
    low: low && number(low.value),
    high: high && number(high.value),
    isLowIn: low?.isIncluded ?? true,
    isHighIn: high?.isIncluded ?? true,
  });
}

const day = 86_400_000;

/** Describes a period; if it consists of whole days, by its dates, including the last day. */
function describePeriod({ from, to }: Of<'period'>, label: string, say: Phrases): string {
  const isMidnight = (moment: string | null) => moment === null || moment.endsWith('T00:00:00.000Z');
  if (!isMidnight(from) || !isMidnight(to)) return say.period(label, from, to);
  return say.period(label, from && from.slice(0, 10), to && dayBefore(to));
}

/** JavaScript cannot parse the first moment after the year 9999. */
function dayBefore(moment: string): string {
  return /^\d{5}/.test(moment) ? '9999-12-31' : new Date(Date.parse(moment) - day).toISOString().slice(0, 10);
}
