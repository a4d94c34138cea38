import { InvalidArgumentError } from 'commander';
import { parseTime } from '../lib/parse-time.ts';

/** Returns a parser for options that are whole numbers of at least `least`. */
export function wholeFrom(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  };
}

/** Parses a day or a time, for options; in UTC unless it has a time zone. */
export function toDate(text: string): Date {
  const date = parseTime(text);
  if (date !== null) return date;
  throw new InvalidArgumentError('Give a date such as 2027-01-31, or a time such as 2027-01-31T18:00Z.');
}

/**
 * Parses when a picture was taken, for options: any words, such as "about 1890", but not a nonexistent day or month.
 */
export function toPictureDate(text: string): string {
  const isPrecise = /^\d{4}-\d{2}(?:-\d{2})?$/.test(text);
  if (!isPrecise || parseTime(`${text}-01`.slice(0, '2027-01-31'.length)) !== null) return text;
  throw new InvalidArgumentError('There is no such date.');
}

/** Parses a day or a time in the future, for options. */
export function toComingDate(text: string): Date {
  const date = toDate(text);
  if (date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError('It must be in the future.');
}

/** Parses the SHA-256 digest of an archive, for options. */
export function toDigest(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new InvalidArgumentError('Give the 64 digits that "vitrine backup" printed.');
}
