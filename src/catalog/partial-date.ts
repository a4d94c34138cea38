/** The first and last day of a day, month or year, both as `YYYY-MM-DD`. */
type DatePeriod = Readonly<{ start: string; end: string }>;

/**
 * Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD` in the Gregorian calendar.
 *
 * @returns the period that it covers, or null if the text is not a valid date.
 */
export function parsePartialDate(text: string): DatePeriod | null {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text);
  if (match === null || match[1] === undefined || match[1] === '0000') return null;
  const [, year, month, day] = match;
  if (month === undefined) return { start: `${year}-01-01`, end: `${year}-12-31` };
  const days = daysInMonth(Number(year), Number(month));
  if (days === 0) return null;
  if (day === undefined) return { start: `${year}-${month}-01`, end: `${year}-${month}-${days}` };
  return Number(day) >= 1 && Number(day) <= days ? { start: text, end: text } : null;
}

function daysInMonth(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
