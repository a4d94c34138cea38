import type { Locale } from '../../catalog/index.ts';
import type { SimilarityOperator } from '../../similarity/index.ts';
import type { Reference, SimilarityTerm } from '../formula/ast.ts';
import { spanishNumber } from './phrases.ts';

/** Titles of the records that a formula names, by id. */
export type Titles = ReadonlyMap<string, string>;

type Way = Readonly<{ is: string; isNot: string }>;
type Words = Readonly<{
  ways: Readonly<Record<'same' | 'scene' | 'subject' | 'theme', Way>>;
  or: string;
  butNot: string;
  text: (text: string) => string;
  queryImage: (hash: string) => string;
  address: (url: string) => string;
  titled: (id: string, title: string) => string;
  atLeast: (score: number) => string;
  part: string;
}>;

const wayOf: Readonly<Record<SimilarityOperator, keyof Words['ways']>> = {
  '~': 'theme',
  '~~': 'subject',
  '~~~': 'scene',
  '=': 'same',
  '==': 'same',
  '===': 'same',
  '====': 'same',
};

const words: Readonly<Record<Locale, Words>> = {
  en: {
    ways: {
      same: { is: 'show the same picture as', isNot: 'do not show the same picture as' },
      scene: { is: 'show the same scene as', isNot: 'do not show the same scene as' },
      subject: { is: 'show the same subject as', isNot: 'do not show the same subject as' },
      theme: { is: 'have the same theme as', isNot: 'do not have the same theme as' },
    },
    or: 'or',
    butNot: ', but not',
    text: (text) => `the text “${text}”`,
    queryImage: (hash) => `the query image ${hash}`,
    address: (url) => `the picture at ${url}`,
    titled: (id, title) => `${id} “${title}”`,
    atLeast: (score) => ` with a similarity of at least ${score}`,
    part: ' in a part of it',
  },
  es: {
    ways: {
      same: { is: 'muestran la misma imagen que', isNot: 'no muestran la misma imagen que' },
      scene: { is: 'muestran la misma escena que', isNot: 'no muestran la misma escena que' },
      subject: { is: 'muestran el mismo motivo que', isNot: 'no muestran el mismo motivo que' },
      theme: { is: 'tratan el mismo tema que', isNot: 'no tratan el mismo tema que' },
    },
    or: 'o',
    butNot: ', pero no',
    text: (text) => `el texto «${text}»`,
    queryImage: (hash) => `la imagen de consulta ${hash}`,
    address: (url) => `la imagen de ${url}`,
    titled: (id, title) => `${id} «${title}»`,
    atLeast: (score) => ` con una similitud de al menos ${spanishNumber(`${score}`)}`,
    part: ' en una parte de ella',
  },
};

/** Describes a similarity term or its negation, for example "show the same picture as P0001 “Bridge”". */
export function describeSimilarity(
  { operator, references, minScore, box }: SimilarityTerm,
  { locale, titles, isNegated }: Readonly<{ locale: Locale; titles: Titles; isNegated: boolean }>,
): string {
  const say = words[locale];
  const way = say.ways[wayOf[operator]];
  const named = (own: readonly Reference[]) => own.map((each) => nameOf(each, say, titles)).join(` ${say.or} `);
  const negated = references.filter((each) => each.isNegative);
  const towards = named(references.filter((each) => !each.isNegative));
  const part = box === null ? '' : say.part;
  const score = minScore === null ? '' : say.atLeast(minScore);
  const without = negated.length === 0 ? '' : `${say.butNot} ${named(negated)}`;
  return `${isNegated ? way.isNot : way.is} ${towards}${part}${without}${score}`;
}

function nameOf({ scheme, value }: Reference, say: Words, titles: Titles): string {
  if (scheme === 'text') return say.text(value);
  if (scheme === 'hash') return say.queryImage(value);
  if (scheme === 'url') return say.address(value);
  const title = titles.get(value);
  return title === undefined ? value : say.titled(value, title);
}
