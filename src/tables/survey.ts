import { fieldsOf, resources } from '../catalog/fields.ts';
import type { Resource } from '../catalog/fields.ts';
import type { Language } from '../lib/languages.ts';
import { importedNames, resourceOf } from './columns.ts';
import { createLanguageDetector } from './language.ts';
import type { LanguageDetector } from './language.ts';
import type { ImportEntry } from './table.ts';

type Unknown = { count: number; readonly place: string };

/** What an import will contain, found by reading its source once before anything is stored. */
export type Survey = Readonly<{
  total: number;
  /** Names of unknown fields, with the number of records that contain them and the place of the first one. */
  unknown: ReadonlyMap<string, Readonly<Unknown>>;
  language: LanguageDetector;
}>;

const proseNames = new Set(
  resources.flatMap((resource) => fieldsOf[resource].flatMap(({ name, type }) => (type === 'text' ? [name] : []))),
);

/**
 * What is known about the source: the kind of its records, and whether each carries its analysis and so its language.
 */
type Surveyed = Readonly<{ resource?: Resource | undefined; isAnalyzed?: boolean }>;

/** Reads a whole source: counts records, and collects their unknown fields and the language of their texts. */
export async function surveyImport(
  entries: AsyncIterable<ImportEntry>,
  { resource, isAnalyzed = false }: Surveyed = {},
): Promise<Survey> {
  const unknown = new Map<string, Unknown>();
  const language = createLanguageDetector();
  let total = 0;
  for await (const entry of entries) {
    total += 1;
    if ('fault' in entry) continue;
    const known = importedNames[resource ?? resourceOf(entry.record)];
    if (!isAnalyzed) for (const text of textsOf(entry.record)) language.add(text);
    for (const name of Object.keys(entry.record)) {
      if (known.has(name) || (isAnalyzed && name === 'analysis')) continue;
      const seen = unknown.get(name);
      if (seen === undefined) unknown.set(name, { count: 1, place: entry.place });
      else seen.count += 1;
    }
  }
  return { total, unknown, language };
}

/** Returns the language of a record; null leaves it to the service. */
export type LanguageOf = (record: Readonly<Record<string, unknown>>) => Language | null;

/**
 * Returns the language of each record for a choice of language. With `each`, a record whose own texts are unclear gets the
 * most frequent language.
 */
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
