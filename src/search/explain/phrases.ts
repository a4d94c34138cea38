import type { Resource } from '../../catalog/index.ts';
import type { Locale } from '../../catalog/index.ts';

/** The bounds of a range as text; null means unbounded. */
type Ends = Readonly<{ low: string | null; high: string | null; isLowIn: boolean; isHighIn: boolean }>;

/** How a language phrases what a formula asks. Every test is something that a record has or does not have. */
export type Phrases = Readonly<{
  subject: Readonly<Record<Resource, string>>;
  everything: string;
  that: (rest: string) => string;
  have: (what: string) => string;
  haveNot: (what: string) => string;
  and: (parts: readonly string[], isInner: boolean) => string;
  or: (parts: readonly string[]) => string;
  not: (part: string, resource: Resource) => string;
  quoted: (text: string) => string;
  anyOf: (values: readonly string[]) => string;
  anything: string;
  words: Readonly<Record<'word' | 'prefix' | 'phrase', (text: string) => string>>;
  meaning: (word: string, meanings: string) => string;
  within: (what: string, label: string) => string;
  as: (value: string, label: string) => string;
  beginning: (value: string) => string;
  present: (label: string) => string;
  range: (label: string, ends: Ends) => string;
  period: (label: string, from: string | null, to: string | null) => string;
  answers: Readonly<Record<'true' | 'false' | 'null', string>>;
  answer: (answer: string, label: string) => string;
  color: (name: string, percent: number) => string;
  member: (collection: string) => string;
  shapes: Readonly<Record<string, string>>;
}>;

const list = (last: string | ((next: string) => string)) => (parts: readonly string[]) => {
  const next = parts.at(-1) ?? '';
  const word = typeof last === 'string' ? last : last(next);
  return parts.length < 2 ? next : `${parts.slice(0, -1).join(', ')} ${word} ${next}`;
};
const article = (label: string) => `${/^[aeiou]/.test(label) ? 'an' : 'a'} ${label}`;

const english: Phrases = {
  subject: { image: 'Images', video: 'Videos' },
  everything: 'All of them',
  that: (rest) => ` that ${rest}`,
  have: (what) => `have ${what}`,
  haveNot: (what) => `do not have ${what}`,
  and: (parts, isInner) => (isInner ? 'both ' : '') + list('and')(parts),
  or: (parts) => `either ${list('or')(parts)}`,
  not: (part) => `are not among those that ${part}`,
  quoted: (text) => `“${text}”`,
  anyOf: list('or'),
  anything: 'anything at all',
  words: {
    word: (text) => `the word “${text}”`,
    prefix: (text) => `a word that begins with “${text}”`,
    phrase: (text) => `the phrase “${text}”`,
  },
  meaning: (word, meanings) => `${word} (read as ${meanings})`,
  within: (what, label) => `${what} in the ${label}`,
  as: (value, label) => `${value} as ${label}`,
  beginning: (value) => `something that begins with ${value}`,
  present: (label) => `any ${label}`,
  range: (label, ends) => `${article(label)} ${englishEnds(ends)}`,
  period: (label, from, to) => {
    if (from !== null && from === to) return `${article(label)} on ${from}`;
    if (from !== null && to !== null) return `${article(label)} from ${from} to ${to}`;
    return `${article(label)}${from === null ? '' : ` from ${from} on`}${to === null ? '' : ` up to ${to}`}`;
  },
  answers: { true: 'yes', false: 'no', null: 'unknown' },
  answer: (answer, label) => `“${answer}” for ${label}`,
  color: (name, percent) => (percent === 0 ? `the color ${name}` : `at least ${percent} % of the color ${name}`),
  member: (collection) => `a place in the collection ${collection}`,
  shapes: {},
};

function englishEnds({ low, high, isLowIn, isHighIn }: Ends): string {
  if (low !== null && low === high) return `of ${low}`;
  if (low !== null && high !== null && isLowIn && isHighIn) return `from ${low} to ${high}`;
  const parts = [
    low === null ? null : isLowIn ? `of at least ${low}` : `above ${low}`,
    high === null ? null : isHighIn ? `of at most ${high}` : `below ${high}`,
  ];
  return parts.filter((part) => part !== null).join(' and ');
}

const spanish: Phrases = {
  subject: { image: 'Imágenes', video: 'Vídeos' },
  everything: 'Todo',
  that: (rest) => ` que ${rest}`,
  have: (what) => `tienen ${what}`,
  haveNot: (what) => `no tienen ${what}`,
  and: (parts, isInner) => (isInner ? 'a la vez ' : '') + list('y')(parts),
  or: (parts) => `o bien ${parts.join(' o bien ')}`,
  not: (part, resource) => `no están entre ${resource === 'image' ? 'las' : 'los'} que ${part}`,
  quoted: (text) => `«${text}»`,
  // «invierno» u «otoño»
  anyOf: list((next) => (/^«?h?[oó]/i.test(next) ? 'u' : 'o')),
  anything: 'cualquier contenido',
  words: {
    word: (text) => `la palabra «${text}»`,
    prefix: (text) => `una palabra que empieza por «${text}»`,
    phrase: (text) => `la frase «${text}»`,
  },
  meaning: (word, meanings) => `${word} (interpretada como ${meanings})`,
  within: (what, label) => `${what} en el campo «${label}»`,
  as: (value, label) => `${value} como ${label}`,
  beginning: (value) => `algo que empieza por ${value}`,
  present: (label) => `valor en el campo «${label}»`,
  range: (label, ends) => `${label} ${spanishEnds(ends)}`,
  period: (label, from, to) => {
    const [first, last] = [from && spanishDate(from), to && spanishDate(to)];
    if (first !== null && first === last) return `${label} del ${first}`;
    if (first !== null && last !== null) return `${label} entre el ${first} y el ${last}`;
    return first === null ? `${label} hasta el ${last}` : `${label} desde el ${first}`;
  },
  answers: { true: 'sí', false: 'no', null: 'desconocido' },
  answer: (answer, label) => `«${answer}» en el campo «${label}»`,
  color: (name, percent) => (percent === 0 ? `el color ${name}` : `al menos un ${percent} % del color ${name}`),
  member: (collection) => `un lugar en la colección ${collection}`,
  shapes: { landscape: 'horizontal', portrait: 'vertical', square: 'cuadrada', panorama: 'panorámica' },
};

function spanishEnds({ low, high, isLowIn, isHighIn }: Ends): string {
  const [from, to] = [low && spanishNumber(low), high && spanishNumber(high)];
  if (from !== null && from === to) return `igual a ${from}`;
  if (from !== null && to !== null && isLowIn && isHighIn) return `entre ${from} y ${to}`;
  const parts = [
    from === null ? null : isLowIn ? `mayor o igual que ${from}` : `mayor que ${from}`,
    to === null ? null : isHighIn ? `menor o igual que ${to}` : `menor que ${to}`,
  ];
  return parts.filter((part) => part !== null).join(' y ');
}

/** Writes a number with a decimal comma. */
export function spanishNumber(text: string): string {
  return text.replace('.', ',');
}

/** Writes a day or a moment in words, such as «31 de mayo de 2024». */
function spanishDate(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  const isDay = !text.includes('T');
  const format = new Intl.DateTimeFormat('es', {
    dateStyle: 'long',
    timeZone: 'UTC',
    ...(!isDay && { timeStyle: 'medium' }),
  });
  return isDay ? format.format(time) : `${format.format(time)} UTC`;
}

export const phrases: Readonly<Record<Locale, Phrases>> = { en: english, es: spanish };
