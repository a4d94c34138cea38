import { SetupError } from '../../lib/errors.ts';
import { didYouMean } from '../../lib/suggest.ts';
import { languages } from '../../analysis/index.ts';
import type { Language } from '../../analysis/index.ts';
import { createLanguageDetector, fieldsMeant, importedNames, languageNames } from '../../tables/index.ts';
import type { ImportSource, Survey } from '../../tables/index.ts';

/** Maximum number of unknown names that are listed. */
const mostNamed = 20;

/** @throws SetupError that lists each unknown field, with the known one that was probably meant. */
export function refuseUnknown(path: string, { unknown }: Survey): void {
  if (unknown.size === 0) return;
  const known = [...new Set([...importedNames.image, ...importedNames.video])];
  const lines = [...unknown].slice(0, mostNamed).map(([name, { count, place }]) => {
    const hint = didYouMean(fieldsMeant(name), '');
    return `  ${name}  (${place}${count > 1 ? ` and ${count - 1} more` : ''})  ${hint}`.trimEnd();
  });
  const more = unknown.size > mostNamed ? [`  … and ${unknown.size - mostNamed} more`] : [];
  const head = `${path} has ${unknown.size === 1 ? 'a field' : `${unknown.size} fields`} that Vitrine does not know:`;
  const rest = 'Rename them, or use --ignore-unknown. Nothing was stored.';
  throw new SetupError([head, ...lines, ...more, rest, `Known fields: ${known.join(', ')}`].join('\n'));
}

/** Values of `--lang`: a language, or `each` to detect the language of each record. */
export const langOptions = [...languages, 'each'] as const;
export type LangOption = (typeof langOptions)[number];

/**
 * The language of descriptions embedded in pictures, which only reading the files reveals; null if it is unclear, or
 * there are no descriptions.
 */
export async function detectEmbedded({ embeddedTexts }: ImportSource): Promise<Language | null> {
  const detector = createLanguageDetector();
  for await (const text of embeddedTexts?.() ?? []) detector.add(text);
  const found = detector.result();
  return found === 'unclear' ? null : found;
}

/**
 * The language to store: the given one, or else that of the texts; null without texts.
 *
 * @throws SetupError if the language of the texts is unclear.
 */
export function chooseLanguage(asked: LangOption | undefined, { language }: Survey): Language | 'each' | null {
  if (asked !== undefined) return asked;
  const found = language.result();
  if (found !== 'unclear') return found;
  const shares = language.shares().slice(0, 2);
  const mixed = shares.map(({ lang, share }) => `${languageNames[lang]} (${Math.round(share * 100)} %)`).join(' and ');
  const [reason, each] =
    shares.length < 2
      ? ['They have too few words to detect it', '']
      : [`They look like ${mixed}`, ', or --lang each for the language of each record'];
  throw new SetupError(`Set the language of the texts: --lang ${languages.join(', ')}${each}. ${reason}.`);
}
