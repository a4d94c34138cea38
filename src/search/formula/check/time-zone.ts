import { LRUCache } from 'lru-cache';

/** Cached, because creating a formatter costs a hundred times as much as using it. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}

const earliest = Date.UTC(1800, 0);

/** Returns the offset of a zone from UTC at a moment, in milliseconds; a null zone is UTC. */
export function offsetAt(time: number, timeZone: string | null): number {
  if (timeZone === null || Number.isNaN(time)) return 0;
  // Before time zones existed.
  const moment = Math.max(time, earliest);
  const parts = formatOf(timeZone).formatToParts(moment);
  const get = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const shown = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
  return shown - Math.floor(moment / 1000) * 1000;
}

/**
 * Converts a local time in a zone to a moment. A time that occurs twice means its first occurrence; a time that is
 * skipped uses the offset from before the change.
 */
export function toUtc(local: number, timeZone: string): number {
  const day = 86_400_000;
  const [before, after] = [offsetAt(local - day, timeZone), offsetAt(local + day, timeZone)];
  const early = local - before;
  const late = local - after;
  // If the time is skipped, neither offset is in effect at the moment that it yields.
  return offsetAt(early, timeZone) !== before && offsetAt(late, timeZone) === after ? late : early;
}
