/** A day, or a time on a day, with a time zone as in RFC 3339 or without. The colon of the zone may be missing. */
const form = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])(\d{2}):?(\d{2}))?)?$/i;

const minuteMs = 60_000;

/**
 * Reads an RFC 3339 time, or a day, which begins at midnight. Without a zone, both are UTC, whatever the time zone of
 * this process. Fractions of milliseconds are cut off.
 *
 * @returns null for any other text, and for days and times that do not exist, such as February 30. There is no year
 * 0, and PostgreSQL reads no year after 9999 in this form.
 */
export function parseTime(text: string): Date | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [zoneHour, zoneMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Not Date.UTC, which takes the year 26 for 1926.
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return null;
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const offset = (match[8] === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute) * minuteMs;
  const time = new Date(date.setUTCHours(hour, minute, second, milliseconds) - offset);
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999 ? time : null;
}
