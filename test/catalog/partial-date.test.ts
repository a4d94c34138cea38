import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePartialDate } from '../../src/catalog/partial-date.ts';

describe('parsePartialDate', () => {
  it.each([
    ['2023-07-14', '2023-07-14', '2023-07-14'],
    ['2023-07', '2023-07-01', '2023-07-31'],
    ['2023-04', '2023-04-01', '2023-04-30'],
    ['2023-02', '2023-02-01', '2023-02-28'],
    ['2024-02', '2024-02-01', '2024-02-29'],
    ['1900-02', '1900-02-01', '1900-02-28'],
    ['2000-02', '2000-02-01', '2000-02-29'],
    ['2023-12', '2023-12-01', '2023-12-31'],
    ['2023', '2023-01-01', '2023-12-31'],
    ['0001', '0001-01-01', '0001-12-31'],
    ['9999-12-31', '9999-12-31', '9999-12-31'],
  ])('reads %s as the days from %s to %s', (text, start, end) => {
    expect(parsePartialDate(text)).toEqual({ start, end });
  });

  it.each([
    ['a day that its month does not have', '2023-02-30'],
    ['29 February of a year that is not a leap year', '2023-02-29'],
    ['29 February of a century that is not a leap year', '1900-02-29'],
    ['31 November', '2023-11-31'],
    ['day 0', '2023-01-00'],
    ['day 32', '2023-01-32'],
    ['month 0', '2023-00'],
    ['month 13', '2023-13'],
    ['a day of month 13', '2023-13-01'],
    ['year 0, which PostgreSQL does not have', '0000'],
    ['a day of year 0', '0000-01-01'],
    ['a year of three digits', '999'],
    ['a year of five digits', '20231'],
    ['a month of one digit', '2023-1'],
    ['a day of one digit', '2023-01-1'],
    ['a year before Christ', '-2023'],
    ['digits without separators', '20230714'],
    ['another separator', '2023/07/14'],
    ['the day first', '14-07-2023'],
    ['a moment', '2023-07-14T00:00:00Z'],
    ['a separator with nothing behind it', '2023-'],
    ['a space before', ' 2023-07-14'],
    ['a space behind', '2023-07-14 '],
    ['a line break behind', '2023-07-14\n'],
    ['digits that are not ASCII', '２０２３-０７-１４'],
    ['words', 'yesterday'],
    ['nothing', ''],
  ])('refuses %s', (_what, text) => {
    expect(parsePartialDate(text)).toBeNull();
  });

  it('takes exactly those days that the calendar has', () => {
    const part = (max: number, digits: number) => fc.nat(max).map((number) => String(number).padStart(digits, '0'));
    fc.assert(
      fc.property(part(9999, 4), part(13, 2), part(32, 2), (year, month, day) => {
        const text = `${year}-${month}-${day}`;
        const date = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && year !== '0000';
        expect(parsePartialDate(text)).toEqual(exists ? { start: text, end: text } : null);
      }),
      { numRuns: 2000 },
    );
  });

  it('ends each month on the day before the next one begins', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9998 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
        const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
        expect(parsePartialDate(text)).toEqual({ start: `${text}-01`, end: last });
      }),
    );
  });
});
