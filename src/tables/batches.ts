import type { Language } from '../lib/languages.ts';
import type { WriteElement } from '../catalog/check-element.ts';
import type { Resource } from '../catalog/fields.ts';
import { fromAnalyzedRecord } from '../catalog/analyzed-element.ts';
import { fromRecord } from '../catalog/from-record.ts';
import { ElementError } from '../lib/errors.ts';
import { resourceOf } from './columns.ts';
import type { LanguageOf } from './survey.ts';
import type { ImportEntry } from './table.ts';

/** Number of records in one operation: enough to keep every source reader busy, few enough to follow. */
const batchSize = 1_000;

/**
 * The same for records whose sources are not read: as many as can be stored in a second or two, or fewer if they are
 * large. A record of unknown size is assumed to contain all data that its picture is compared by.
 */
const analyzedBatch = { records: 5_000, characters: 24_000_000, ofOne: 12_000 } as const;

/** Records of one resource and language that form one operation, with their positions in the source. */
export type ImportBatch = Readonly<{
  resource: Resource;
  lang: Language | null;
  elements: readonly WriteElement[];
  places: readonly string[];
}>;

type OpenBatch = ImportBatch & { elements: WriteElement[]; places: string[]; characters: number };

/** Why a record cannot be sent. */
export type EntryFault = Readonly<{ id: string; place: string; code: string; message: string; field: string | null }>;

export type BatchOptions = Readonly<{
  /** The kind of all records; if undefined, the names of their sources decide. */
  resource?: Resource | undefined;
  langOf: LanguageOf;
  /** Whether each record carries its analysis, and no source is read. */
  isAnalyzed?: boolean;
  onFault: (fault: EntryFault) => void;
}>;

/**
 * Groups entries into batches of images or of videos, each in one language. Entries that are not records, or have an invalid
 * shape, fail here.
 */
export async function* intoBatches(
  entries: AsyncIterable<ImportEntry>,
  { resource: stated, langOf, isAnalyzed = false, onFault }: BatchOptions,
): AsyncIterable<ImportBatch> {
  const toElement = isAnalyzed ? fromAnalyzedRecord : fromRecord;
  const isFull = ({ elements: { length }, characters }: OpenBatch) =>
    isAnalyzed ? length >= analyzedBatch.records || characters >= analyzedBatch.characters : length >= batchSize;
  const open = new Map<string, OpenBatch>();
  for await (const entry of entries) {
    if ('fault' in entry) {
      onFault({ id: '', place: entry.place, code: 'invalid_record', message: entry.fault, field: null });
      continue;
    }
    const { place, record, characters = analyzedBatch.ofOne } = entry;
    const [resource, lang] = [stated ?? resourceOf(record), langOf(record)];
    const key = `${resource} ${lang}`;
    const batch = open.get(key) ?? { resource, lang, elements: [], places: [], characters: 0 };
    open.set(key, batch);
    try {
      batch.elements.push(toElement(record, resource));
      batch.places.push(place);
      batch.characters += characters;
    } catch (error) {
      if (!(error instanceof ElementError)) throw error;
      const { code, message, field } = error;
      onFault({ id: String(record['id'] ?? ''), place, code, message, field });
    }
    if (!isFull(batch)) continue;
    open.delete(key);
    yield batch;
  }
  for (const batch of open.values()) if (batch.elements.length > 0) yield batch;
}
