import { fieldsOf, writableFieldsOf } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { didYouMean, suggest } from '../../search/index.ts';
import { languages } from '../../analysis/index.ts';
import type { Language } from '../../analysis/index.ts';
import { createLanguageDetector, languageNames } from './language.ts';
import type { LanguageDetector } from './language.ts';
import { resourceOf } from './sources.ts';
import type { ImportSource } from './import-source.ts';

type Unknown = { count: number; readonly place: string };

/** What an import will bring, found by reading its source once before anything is stored. */
export type Survey = Readonly<{
  total: number;
  /** Names of fields that no record has, with how many records give them and where the first one stood. */
  unknown: ReadonlyMap<string, Readonly<Unknown>>;
  language: LanguageDetector;
}>;

/** Names under which other catalogs keep what a field holds. */
const otherNames: Readonly<Record<string, string>> = {
  image_id: 'id',
  video_id: 'id',
  identifier: 'id',
  file: 'src_path',
  filename: 'src_path',
  file_name: 'src_path',
  path: 'src_path',
  url: 'src',
  tags: 'keywords',
  subject: 'keywords',
  creator: 'author',
  photographer: 'author',
  byline: 'author',
  name: 'title',
  category: 'categories',
  collection: 'collections',
};

const names: Readonly<Record<Resource, ReadonlySet<string>>> = { image: namesOf('image'), video: namesOf('video') };
const proseNames = new Set(
  [...fieldsOf.image, ...fieldsOf.video].filter(({ type }) => type === 'text').map(({ name }) => name),
);

function namesOf(resource: Resource): ReadonlySet<string> {
  return new Set(['id', ...writableFieldsOf[resource].map(({ name }) => name)]);
}

/** Reads a source to its end: counts its records, and looks at their fields and the language of their texts. */
export async function surveyImport(source: ImportSource, resource: Resource | undefined): Promise<Survey> {
  const unknown = new Map<string, Unknown>();
  const language = createLanguageDetector();
  let total = 0;
  for await (const entry of source.read()) {
    total += 1;
    if ('fault' in entry) continue;
    const known = names[resource ?? resourceOf(entry.record)];
    for (const text of textsOf(entry.record)) language.add(text);
    for (const name of Object.keys(entry.record)) {
      if (known.has(name)) continue;
      const seen = unknown.get(name);
      if (seen === undefined) unknown.set(name, { count: 1, place: entry.place });
      else seen.count += 1;
    }
  }
  return { total, unknown, language };
}

/** More unknown names than anyone reads. */
const mostNamed = 20;

/** @throws SetupError that names each unknown field, and the known one that was probably meant. */
export function refuseUnknown(path: string, { unknown }: Survey): void {
  if (unknown.size === 0) return;
  const known = [...new Set([...names.image, ...names.video])];
  const lines = [...unknown].slice(0, mostNamed).map(([name, { count, place }]) => {
    const meant = otherNames[name.toLowerCase()];
    const hint = didYouMean(meant === undefined ? suggest(name, known) : [meant], '');
    return `  ${name}  (${place}${count > 1 ? ` and ${count - 1} more` : ''})  ${hint}`.trimEnd();
  });
  const more = unknown.size > mostNamed ? [`  … and ${unknown.size - mostNamed} more`] : [];
  const head = `${path} has ${unknown.size === 1 ? 'a field' : `${unknown.size} fields`} that Vitrine does not know:`;
  const rest = 'Rename them, or use --ignore-unknown. Nothing was stored.';
  throw new SetupError([head, ...lines, ...more, rest, `Known fields: ${known.join(', ')}`].join('\n'));
}

/** The language of a record; null leaves it to the service. */
export type LanguageOf = (record: Readonly<Record<string, unknown>>) => Language | null;

/** What `--lang` takes: a language, or `each` for the one of each record. */
export const langOptions = [...languages, 'each'] as const;
export type LangOption = (typeof langOptions)[number];

/**
 * The language to store for: the one that was asked for, else that of the texts; null where there is no text. With
 * `each` a record whose own texts do not say it has that of most others.
 *
 * @throws SetupError where the texts do not say it clearly.
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

/** What a choice of language means for each record. */
export function languageOf(choice: Language | 'each' | null, { language }: Survey): LanguageOf {
  if (choice !== 'each') return () => choice;
  const most = language.shares()[0]?.lang ?? null;
  return (record) => {
    const own = createLanguageDetector();
    for (const text of textsOf(record)) own.add(text);
    const found = own.result();
    return found === 'unclear' || found === null ? most : found;
  };
}

function textsOf(record: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(record).flatMap(([name, value]) =>
    proseNames.has(name) && typeof value === 'string' ? [value] : [],
  );
}
