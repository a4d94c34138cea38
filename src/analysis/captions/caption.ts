import type { View } from '../view.ts';
import type { Caption, PictureContext, Language } from '../facts.ts';
import { nounsOf } from './coco.ts';
import { countThings } from './people.ts';

/** The parts of a sentence in one language; `#` is a placeholder. */
type Grammar = Readonly<{
  locale: string;
  /** A picture with objects, in color and black and white. */
  things: readonly [color: string, blackAndWhite: string];
  /** The article before a singular noun, by gender. */
  one: Readonly<Record<'m' | 'f', string>>;
  /** Two and three; Russian uses digits, as words would need a third gender. */
  few: Readonly<Record<'m' | 'f', readonly [two: string, three: string]>>;
  several: Readonly<Record<'m' | 'f', string>>;
  and: string;
}>;

const grammars: Readonly<Record<Language, Grammar>> = {
  en: {
    locale: 'en-GB',
    things: ['A picture of #', 'A black-and-white picture of #'],
    one: { m: 'a ', f: 'a ' },
    few: { m: ['two', 'three'], f: ['two', 'three'] },
    several: { m: 'several ', f: 'several ' },
    and: 'and',
  },
  es: {
    locale: 'es-ES',
    things: ['Una imagen con #', 'Una imagen en blanco y negro con #'],
    one: { m: 'un ', f: 'una ' },
    few: { m: ['dos', 'tres'], f: ['dos', 'tres'] },
    several: { m: 'varios ', f: 'varias ' },
    and: 'y',
  },
  pt: {
    locale: 'pt-BR',
    things: ['Uma imagem com #', 'Uma imagem em preto e branco com #'],
    one: { m: 'um ', f: 'uma ' },
    few: { m: ['dois', 'três'], f: ['duas', 'três'] },
    several: { m: 'vários ', f: 'várias ' },
    and: 'e',
  },
  fr: {
    locale: 'fr-FR',
    things: ['Une image avec #', 'Une image en noir et blanc avec #'],
    one: { m: 'un ', f: 'une ' },
    few: { m: ['deux', 'trois'], f: ['deux', 'trois'] },
    several: { m: 'plusieurs ', f: 'plusieurs ' },
    and: 'et',
  },
  ru: {
    locale: 'ru-RU',
    things: ['На снимке #', 'На чёрно-белом снимке #'],
    one: { m: '', f: '' },
    few: { m: ['2', '3'], f: ['2', '3'] },
    several: { m: 'несколько ', f: 'несколько ' },
    and: 'и',
  },
};

const limits = { kinds: 4 } as const;

/** The warning if nothing was recognized, with what would help. */
const nothingRecognized = {
  code: 'nothing_recognized',
  message:
    'the built-in models recognized nothing, so there is no caption; configure a caption model: ' +
    'AI_CAPTION_PROVIDER=huggingface with HF_TOKEN or HF_ENDPOINT, or AI_CAPTION_PROVIDER=local',
} as const;

/**
 * Writes one sentence in each requested language about confirmed objects and what the caller knows; empty if no object was
 * confirmed. Colors are not named: the largest are mostly those of the background.
 */
export function writeCaption({
  found,
  langs,
  context,
  warn,
}: Pick<View, 'found' | 'langs' | 'context' | 'warn'>): Caption {
  const things = [...countThings(found)].toSorted(([, a], [, b]) => b - a).slice(0, limits.kinds);
  if (things.length === 0) warn(nothingRecognized);
  return Object.fromEntries(
    langs.map((lang) => [lang, things.length === 0 ? '' : sentence(lang, things, { found, context })]),
  );
}

function sentence(
  lang: Language,
  things: readonly (readonly [label: string, count: number])[],
  { found, context }: Pick<View, 'found' | 'context'>,
): string {
  const grammar = grammars[lang];
  const phrases = things.map(([label, count]) => phrase(lang, label, count));
  const subject = grammar.things[found.colors?.isBlackAndWhite ? 1 : 0].replace('#', () =>
    enumerate(phrases, grammar.and),
  );
  return `${[subject, ...known(context, lang)].join(', ').replace(/\.$/, '')}.`;
}

function phrase(lang: Language, label: string, count: number): string {
  const noun = nounsOf(label)?.[lang];
  const { one, few, several } = grammars[lang];
  if (noun === undefined) return label;
  if (count === 1) return `${beforeVowel(lang, noun.one) ?? one[noun.gender]}${noun.one}`;
  const number = few[noun.gender][count - 2];
  return number === undefined ? `${several[noun.gender]}${noun.many}` : `${number} ${noun.few}`;
}

/** The article before a vowel that takes another one: an apple; un ave, although it is feminine. Null for others. */
function beforeVowel(lang: Language, noun: string): string | null {
  if (lang === 'en' && /^[aeiou]/.test(noun)) return 'an ';
  return lang === 'es' && noun === 'ave' ? 'un ' : null;
}

function enumerate(items: readonly string[], and: string): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${and} ${items.at(-1)}`;
}

/** What the caller knows, in the order of a news caption. */
function known({ event, city, country, date }: PictureContext, lang: Language): string[] {
  return [event, city, nameCountry(country, lang), nameDate(date, lang)].flatMap((text) => {
    const clean = text?.trim() ?? '';
    return clean === '' ? [] : [clean];
  });
}

function nameCountry(country: string | undefined, lang: Language): string | undefined {
  if (!/^[a-z]{2}$/i.test(country ?? '')) return country;
  try {
    return new Intl.DisplayNames(grammars[lang].locale, { type: 'region' }).of((country as string).toUpperCase());
  } catch {
    return country;
  }
}

/** Writes a full date or a month in words; returns anything else as given, such as 30 February. */
function nameDate(date: string | undefined, lang: Language): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(date?.trim() ?? '') ?? [];
  const time = new Date(`${year}-${month}-${day ?? '01'}T00:00:00Z`);
  // `Date` turns an impossible day into another one.
  if (year === undefined || Number.isNaN(time.getTime()) || time.getUTCDate() !== Number(day ?? 1)) return date;
  if (Number(year) === 0) return date; // There is no year 0.
  const parts = {
    year: 'numeric',
    month: 'long',
    timeZone: 'UTC',
    day: day === undefined ? undefined : 'numeric',
  } as const;
  return new Intl.DateTimeFormat(grammars[lang].locale, parts).format(time);
}
