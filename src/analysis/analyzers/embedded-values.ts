import { storableText } from '../../lib/storable-text.ts';

/** Metadata of a file, by the property names of the field table; only fields that the file has. */
export type EmbeddedFields = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Maximum characters kept of a text; real texts have a few thousand at most. */
const maxTextLength = 10_000;
const maxKeywords = 1000;
const maxKeywordLength = 200;

/** A text as it can be stored; empty for anything else. */
export function cleanText(value: unknown): string {
  return typeof value === 'string' ? storableText(value.trim(), maxTextLength).trim() : '';
}

/**
 * Reads a day as `YYYY-MM-DD` from `2017:08:21 …` or `2017-08-21T…`, or only a month or a year if no more is known:
 * IPTC writes zeros for the rest. Cameras without a clock write only zeros; then the result is null.
 */
export function dayFrom(text: string): string | null {
  const [, year = '', month = '00', day = '00'] = /^(\d{4})(?:[:-](\d{2})(?:[:-](\d{2}))?)?(?:$|[T ])/.exec(text) ?? [];
  if (Number(year) === 0) return null;
  if (Number(month) === 0) return year;
  if (Number(day) === 0) return Number(month) <= 12 ? `${year}-${month}` : null;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day) ? `${year}-${month}-${day}` : null;
}

/** Removes duplicates, in the order of the sources that list them; spellings that differ only in case count once. */
export function keywordsFrom(texts: readonly string[]): string[] {
  const byFolded = new Map<string, string>();
  for (const each of texts) {
    const text = storableText(each.trim(), maxKeywordLength);
    const folded = text.toLowerCase();
    if (text !== '' && !byFolded.has(folded)) byFolded.set(folded, text);
  }
  return [...byFolded.values()].slice(0, maxKeywords);
}
