import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetAt, toUtc } from '../../../src/search/formula/check/time-zone.ts';
import { read } from './read.ts';

function period(formula: string, timeZone: string, now: string): readonly [from: string | null, to: string | null] {
  const { condition } = read(formula, { timeZone, now: Date.parse(now) });
  if (condition?.kind !== 'period') throw new Error('no period');
  return [condition.from, condition.to];
}

const noon = '2024-06-15T12:00:00Z';

describe("the days of a tenant's zone", () => {
  it.each([
    ['created_at:2024-06', 'Europe/Madrid', noon, '2024-05-31T22:00:00.000Z', '2024-06-30T22:00:00.000Z'],
    ['created_at:2024-03-31', 'Europe/Madrid', noon, '2024-03-30T23:00:00.000Z', '2024-03-31T22:00:00.000Z'],
    ['created_at:2024-10-27', 'Europe/Madrid', noon, '2024-10-26T22:00:00.000Z', '2024-10-27T23:00:00.000Z'],
    [
      'created_at:today',
      'America/New_York',
      '2024-06-15T02:00:00Z',
      '2024-06-14T04:00:00.000Z',
      '2024-06-15T04:00:00.000Z',
    ],
    ['created_at:2024-06-14T10:00', 'Asia/Kolkata', noon, '2024-06-14T04:30:00.000Z', '2024-06-14T04:31:00.000Z'],
    ['created_at:2024-06-14T10:00Z', 'Asia/Kolkata', noon, '2024-06-14T10:00:00.000Z', '2024-06-14T10:01:00.000Z'],
    ['created_at:2024-06-14T10:00+02:00', 'Asia/Tokyo', noon, '2024-06-14T08:00:00.000Z', '2024-06-14T08:01:00.000Z'],
    [
      'created_at:-24h',
      'Europe/Madrid',
      '2024-03-31T12:00:00Z',
      '2024-03-30T12:00:00.000Z',
      '2024-03-30T13:00:00.000Z',
    ],
    [
      'created_at:thisyear',
      'Pacific/Auckland',
      '2023-12-31T12:00:00Z',
      '2023-12-31T11:00:00.000Z',
      '2024-12-31T11:00:00.000Z',
    ],
    // Clocks go from 02:00 to 03:00, and from 00:00 to 01:00.
    ['created_at:2084-03-26T02:00', 'Europe/Madrid', noon, '2084-03-26T01:00:00.000Z', '2084-03-26T01:01:00.000Z'],
    ['created_at:2018-11-04', 'America/Sao_Paulo', noon, '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
    // The clock shows 02:30 twice; what is counted from now or has a zone of its own is not ambiguous.
    ['created_at:2024-10-27T02:30', 'Europe/Madrid', noon, '2024-10-27T00:30:00.000Z', '2024-10-27T00:31:00.000Z'],
    ['created_at:2024-10-27T01:30Z', 'Europe/Madrid', noon, '2024-10-27T01:30:00.000Z', '2024-10-27T01:31:00.000Z'],
    [
      'created_at:-1h..now',
      'Europe/Madrid',
      '2024-10-27T01:30:00Z',
      '2024-10-27T00:30:00.000Z',
      '2024-10-27T01:30:00.001Z',
    ],
    ['created_at:0001-01-01T00:00', 'Asia/Tokyo', noon, '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['created_at:0001', 'Europe/Madrid', noon, '0001-01-01T00:14:44.000Z', '0002-01-01T00:14:44.000Z'],
    ['date:today', 'Pacific/Auckland', '2024-06-15T13:00:00Z', '2024-06-16T00:00:00.000Z', '2024-06-17T00:00:00.000Z'],
    ['date:2024-06', 'Pacific/Auckland', noon, '2024-06-01T00:00:00.000Z', '2024-07-01T00:00:00.000Z'],
  ])('%s in %s at %s', (formula, zone, now, from, to) => {
    expect(period(formula, zone, now)).toEqual([from, to]);
  });

  it('show at the moment of a local time that time, or one as much later as the clock has just skipped', () => {
    const zones = fc.constantFrom('Europe/Madrid', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC');
    const property = fc.property(fc.integer({ min: -2e12, max: 4e12 }), zones, (local, zone) => {
      const moment = toUtc(local, zone);
      const shown = moment + offsetAt(moment, zone);
      // In 1988, St. John's skipped two hours at once.
      const skipped = offsetAt(moment, zone) - offsetAt(moment - 7_200_000, zone);
      expect([0, Math.max(skipped, 0)]).toContain(shown - local);
    });
    fc.assert(property, {
      numRuns: 500,
      examples: [
        [3_604_874_400_000, 'Europe/Madrid'],
        [Date.UTC(1988, 3, 3, 1, 30), 'America/St_Johns'],
      ],
    });
  });
});
