import { InvalidArgumentError } from 'commander';

/** Returns a parser for options that are whole numbers of at least `least`. */
export function wholeFrom(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  };
}

/** Parses a day or a time, for options. Days start in UTC. */
export function toDate(text: string): Date {
  const date = new Date(text);
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text)?.[0];
  // JavaScript accepts 30 February and reads it as 2 March.
  if (day !== undefined && !Number.isNaN(date.getTime()) && new Date(day).toISOString().startsWith(day)) return date;
  throw new InvalidArgumentError('Give a date such as 2027-01-31, or a time such as 2027-01-31T18:00Z.');
}

/** Parses a day or a time in the future, for options. */
export function toComingDate(text: string): Date {
  const date = toDate(text);
  if (date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError('It must be in the future.');
}

/** Parses the digest of an archive, for options. */
export function toDigest(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new InvalidArgumentError('Give the 64 digits that "vitrine backup" printed.');
}
