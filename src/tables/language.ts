import type { Language } from '../lib/languages.ts';

/**
 * Frequent words of each language that carry little meaning. A word that several languages share counts for each of
 * them in equal parts.
 */
const functionWords: Readonly<Record<Language, string>> = {
  en: 'the of and in to is with on at for by from his her was were are an a as it its that this which near during after before over under their into',
  es: 'el la los las lo de del en y con por para una un unos unas su sus se es son al que como entre sobre desde durante hacia fue ante a o no',
  pt: 'o a os as de do da dos das em no na nos nas e com por para uma um ao aos pela pelo são não é seu sua que entre sobre durante foi à',
  fr: 'le la les des du de et en dans un une sur avec pour par au aux est sont son sa ses qui ce cette que pendant près l d à leur devant',
  ru: 'и в во на с со к ко о об от до по из за у не что это как или для без под над при его её они был была',
};

/** Letters that only one of the languages uses. */
const ownLetters: readonly Readonly<{ lang: Language; letters: RegExp }>[] = [
  { lang: 'es', letters: /ñ/ },
  { lang: 'pt', letters: /[ãõ]/ },
  { lang: 'fr', letters: /[èœùûëïî]/ },
  { lang: 'ru', letters: /[а-яё]/ },
];

const languages = Object.keys(functionWords) as Language[];
const votes = new Map<string, { lang: Language; weight: number }[]>();
for (const lang of languages) {
  for (const word of functionWords[lang].split(' ')) {
    const sharing = languages.filter((other) => functionWords[other].split(' ').includes(word));
    votes.set(
      word,
      sharing.map((each) => ({ lang: each, weight: 1 / sharing.length })),
    );
  }
}

/** Minimum score: two words that only one language has, or the equivalent; anything less may be chance. */
const leastVotes = 2;
/**
 * Maximum score of the runner-up relative to the best: shared words, and a few texts in another language, stay below
 * it.
 */
const mostOfSecond = 0.5;

/** Detects the language of texts by their function words. */
export type LanguageDetector = Readonly<{
  add(text: string): void;
  /** Returns the language; `unclear` if the texts contain too little or several languages, null without any text. */
  result(): Language | 'unclear' | null;
  /** Returns the share of each language in what was counted, the largest first. */
  shares(): readonly Readonly<{ lang: Language; share: number }>[];
}>;

/** Creates a detector that counts the words of many texts and then reports their language. */
export function createLanguageDetector(): LanguageDetector {
  const scores = new Map<Language, number>(languages.map((lang) => [lang, 0]));
  let hasText = false;
  const vote = (lang: Language, weight: number) => scores.set(lang, (scores.get(lang) ?? 0) + weight);

  const ranked = () => [...scores].map(([lang, score]) => ({ lang, score })).toSorted((a, b) => b.score - a.score);

  return {
    add(text) {
      for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
        hasText = true;
        for (const { lang, weight } of votes.get(word) ?? []) vote(lang, weight);
        for (const { lang, letters } of ownLetters) if (letters.test(word)) vote(lang, 0.5);
      }
    },
    result() {
      if (!hasText) return null;
      const [best, second] = ranked();
      if (best === undefined || best.score < leastVotes) return 'unclear';
      return (second?.score ?? 0) > best.score * mostOfSecond ? 'unclear' : best.lang;
    },
    shares() {
      const all = ranked();
      const sum = all.reduce((total, { score }) => total + score, 0);
      return sum === 0
        ? []
        : all.filter(({ score }) => score > 0).map(({ lang, score }) => ({ lang, share: score / sum }));
    },
  };
}

/** The English names of languages. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Spanish',
  pt: 'Portuguese',
  fr: 'French',
  ru: 'Russian',
};
