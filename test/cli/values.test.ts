import { expect, it } from 'vitest';
import { faultInWords } from '../../src/cli/faults.ts';
import { AppError } from '../../src/lib/errors.ts';
import { toComingDate, toDate, toPictureDate, wholeFrom } from '../../src/cli/values.ts';

it.each(['', '-1', '1.5', '1e3', 'ten', '0x10', '9999999999', '0'])('a count is no %j', (text) => {
  expect(() => wholeFrom(1)(text)).toThrow('Give a whole number, 1 or more.');
});

it('a count is a whole number from the least on', () => {
  expect([wholeFrom(0)('0'), wholeFrom(1)('1'), wholeFrom(2)('10')]).toEqual([0, 1, 10]);
});

it.each(['', 'yesterday', '5', '2027', '2027-02-30', '2027-13-01', '31.01.2027', '2027-01-31 noon'])(
  'a date is no %j',
  (text) => {
    expect(() => toDate(text)).toThrow('Give a date such as 2027-01-31');
  },
);

it.each([
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ['2027-01-31T18:00Z', '2027-01-31T18:00:00.000Z'],
  ['2027-01-31T18:00+02:00', '2027-01-31T16:00:00.000Z'],
])('a date is %s', (text, moment) => {
  expect(toDate(text).toISOString()).toBe(moment);
});

it('the date of a picture is a date that exists, or any words', () => {
  for (const text of ['2020-02-30', '2020-13', '2020-00-10']) {
    expect(() => toPictureDate(text)).toThrow('There is no such date.');
  }
  for (const text of ['2020-02-29', '2020-02', '2020', 'about 1890']) expect(toPictureDate(text)).toBe(text);
});

it('the end of a key is still to come', () => {
  expect(() => toComingDate('2001-01-31')).toThrow('It must be in the future.');
  expect(toComingDate('2999-01-31').getUTCFullYear()).toBe(2999);
});

it('a file that cannot be used is reported with its name and the reason, and a bug is not hidden', () => {
  const refused = (code: string) => Object.assign(new Error(code), { code, path: 'a.tar', syscall: 'open' });
  expect(faultInWords(refused('ENOENT'))).toBe('Cannot use a.tar: there is no such file or folder.');
  expect(faultInWords(refused('ENOSPC'))).toBe('Cannot use a.tar: the disk is full.');
  expect(faultInWords(new TypeError('x is undefined'))).toBeNull();
});

it('a hint ends with one sign', () => {
  const hinted = (hint: string) => faultInWords(new AppError('invalid_argument', 'No', { hint }));
  expect([hinted('Did you mean x?'), hinted('Use x')]).toEqual(['No\nDid you mean x?', 'No\nUse x.']);
});
