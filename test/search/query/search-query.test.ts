import { afterEach, expect, it, vi } from 'vitest';
import { readSearchQuery } from '../../../src/search/index.ts';

const options = { resource: 'image', lang: 'ml', mayVerify: false } as const;

afterEach(() => void vi.useRealTimers());

it('is read once for each kind of record, language and right, however often it is asked', () => {
  const searchQuery = readSearchQuery('sunset country:es', options);
  expect(readSearchQuery('sunset country:es', options)).toBe(searchQuery);
  for (const other of [{ resource: 'video' }, { lang: 'en' }, { mayVerify: true }, { timeZone: 'Asia/Tokyo' }] as const)
    expect(readSearchQuery('sunset country:es', { ...options, ...other })).not.toBe(searchQuery);
  expect(readSearchQuery('i====a', { ...options, mayVerify: true }).condition).not.toBeNull();
  expect(() => readSearchQuery('i====a', options)).toThrow(/may not ask/);
});

it('is read anew where it asks for a time, which goes by', () => {
  const today = () => readSearchQuery('sunset (city:a OR NOT date:today)', options);
  vi.useFakeTimers({ now: Date.parse('2026-03-01T12:00:00Z') });
  const first = today();
  vi.setSystemTime(Date.parse('2026-03-02T12:00:00Z'));
  expect(JSON.stringify(today().condition)).toBe(JSON.stringify(first.condition).replaceAll(/2026-03-0[12]/g, (day) => (day === '2026-03-01' ? '2026-03-02' : '2026-03-03'))); // prettier-ignore
});
