import { InvalidArgumentError } from 'commander';

/** A reader of whole numbers of at least `least`, for options. */
export function wholeFrom(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  };
}

/** Reads a day or a moment, for options. Days begin in UTC. */
export function toDate(text: string): Date {
  const date = new Date(text);
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text)?.[0];
  // JavaScript takes 30 February for 2 March.
  if (day !== undefined && !Number.isNaN(date.getTime()) && new Date(day).toISOString().startsWith(day)) return date;
  throw new InvalidArgumentError('Give a date such as 2027-01-31, or a time such as 2027-01-31T18:00Z.');
}

/** Reads a day or a moment that is still to come, for options. */
export function toComingDate(text: string): Date {
  const date = toDate(text);
  if (date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError('It must be in the future.');
}

/** Reads the digest of an archive, for options. */
export function toDigest(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new InvalidArgumentError('Give the 64 digits that "vitrine backup" printed.');
}
