import { parsePartialDate } from '../../../catalog/index.ts';
import { offsetAt, toUtc } from './time-zone.ts';

/** From one moment (inclusive) to another (exclusive), in milliseconds since 1970. */
export type Period = Readonly<{ start: number; end: number }>;

/** When a formula is read, and the time zone in which days begin (IANA), or null for UTC. */
export type Clock = Readonly<{ now: number; timeZone: string | null }>;

const hour = 3_600_000;
const day = 24 * hour;

/** The period of each word but `now`, given today's midnight. Weeks start on Monday. */
const words: Readonly<Record<string, (today: number) => Period>> = {
  today: (today) => days(today, 1),
  yesterday: (today) => days(today - day, 1),
  thisweek: (today) => days(monday(today), 7),
  lastweek: (today) => days(monday(today) - 7 * day, 7),
  thismonth: (today) => months(today, 0, 1),
  lastmonth: (today) => months(today, -1, 1),
  thisyear: (today) => months(january(today), 0, 12),
  lastyear: (today) => months(january(today), -12, 12),
};

/** The words that name periods. */
export const dateWords: readonly string[] = ['now', ...Object.keys(words)];

/**
 * Returns the period of a date literal, in local time (`local`) or as moments; null if the literal is invalid. Days
 * begin at midnight in the time zone of the clock.
 */
export function parseDate(text: string, { now, timeZone }: Clock, as: 'local' | 'moments'): Period | null {
  const word = text.toLowerCase();
  const exact = parseExact(word, now);
  const local =
    exact === null ? parseLocal(word, toLocal(now, timeZone)) : mapEnds(exact, (end) => toLocal(end, timeZone));
  if (local === null || !isWithinCalendar(local)) return null;
  if (as === 'local' || timeZone === null) return local;
  const moments = exact ?? mapEnds(local, (end) => toUtc(end, timeZone));
  // In the east, the first hours of the calendar are before it in UTC.
  return mapEnds(moments, (end) => Math.max(end, firstMoment));
}

function mapEnds({ start, end }: Period, map: (end: number) => number): Period {
  return { start: map(start), end: map(end) };
}

function toLocal(time: number, timeZone: string | null): number {
  return time + offsetAt(time, timeZone);
}

/** The whole days that contain the period. */
export function wholeDays({ start, end }: Period): Period {
  return { start: Math.floor(start / day) * day, end: Math.ceil(end / day) * day };
}

/**
 * Formats a time as RFC 3339 in UTC. The first moment after the year 9999 gets a five-digit year, which PostgreSQL
 * accepts.
 */
export function toMoment(time: number): string {
  return new Date(time).toISOString().replace(/^\+0/, '');
}

/** Parses what is the same moment in every time zone: `now`, hours from now, and a time with a zone. */
function parseExact(text: string, now: number): Period | null {
  if (text === 'now') return { start: now, end: now + 1 };
  const hours = /^([-+]\d{1,6})h$/.exec(text)?.[1];
  if (hours === undefined) return parseMoment(text, { hasZone: true });
  const start = now + Number(hours) * hour;
  return { start, end: start + hour };
}

/** Parses what depends on the local time, `now`. */
function parseLocal(text: string, now: number): Period | null {
  const today = Math.floor(now / day) * day;
  if (Object.hasOwn(words, text)) return words[text]?.(today) ?? null;
  return parseRelative(text, today) ?? parseMoment(text, { hasZone: false }) ?? parseCalendar(text);
}

function parseRelative(text: string, today: number): Period | null {
  const [, digits = '', unit = ''] = /^([-+]\d{1,6})(d|w|mo|y)$/.exec(text) ?? [];
  const amount = Number(digits);
  if (unit === '') return null;
  if (unit === 'd' || unit === 'w') return days(today + amount * (unit === 'w' ? 7 : 1) * day, 1);
  return days(addMonths(today, unit === 'y' ? 12 * amount : amount), 1);
}

const moment = /^(\d{4}-\d{2}-\d{2})t(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(z|[-+]\d{2}:\d{2})?$/;

function parseMoment(text: string, { hasZone }: Readonly<{ hasZone: boolean }>): Period | null {
  const [, date = '', hours = '', minutes = '', seconds, fraction, zone] = moment.exec(text) ?? [];
  if ((zone !== undefined) !== hasZone) return null;
  if (parsePartialDate(date) === null || !isTimeOfDay(hours, minutes, seconds)) return null;
  const time = `${hours}:${minutes}:${seconds ?? '00'}.${(fraction ?? '').padEnd(3, '0')}`;
  const start = Date.parse(`${date}T${time}${(zone ?? 'z').toUpperCase()}`);
  return Number.isNaN(start) ? null : { start, end: start + lengthOfMoment(seconds, fraction) };
}

function isTimeOfDay(hours: string, minutes: string, seconds = '0'): boolean {
  return Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
}

/** How long a moment lasts, in milliseconds: one of the smallest unit that was given. */
function lengthOfMoment(seconds: string | undefined, fraction: string | undefined): number {
  if (seconds === undefined) return 60_000;
  return fraction === undefined ? 1000 : 10 ** (3 - fraction.length);
}

function parseCalendar(text: string): Period | null {
  const period = parsePartialDate(text);
  return period && { start: Date.parse(`${period.start}T00:00Z`), end: Date.parse(`${period.end}T00:00Z`) + day };
}

const firstMoment = Date.parse('0001-01-01T00:00Z');

function isWithinCalendar({ start, end }: Period): boolean {
  return start >= firstMoment && end <= Date.parse('9999-12-31T00:00Z') + day;
}

function days(start: number, count: number): Period {
  return { start, end: start + count * day };
}

/** Returns `count` whole months, starting `offset` months after the one that contains `time`. */
function months(time: number, offset: number, count: number): Period {
  const first = time - (new Date(time).getUTCDate() - 1) * day;
  return { start: addMonths(first, offset), end: addMonths(first, offset + count) };
}

/** Returns the same day of another month, or that month's last day if it is shorter. */
function addMonths(time: number, count: number): number {
  const from = new Date(time);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + count];
  const length = new Date(midnight(year, month + 1, 0)).getUTCDate();
  return midnight(year, month, Math.min(from.getUTCDate(), length));
}

/** Unlike Date.UTC, takes years before 100 literally. */
function midnight(year: number, month: number, date: number): number {
  return new Date(0).setUTCFullYear(year, month, date);
}

function monday(today: number): number {
  return today - ((new Date(today).getUTCDay() + 6) % 7) * day;
}

function january(today: number): number {
  return midnight(new Date(today).getUTCFullYear(), 0, 1);
}
