import { expect, it } from 'vitest';
import { isOfElement } from '../../../src/operations/store/savepoint.ts';

it.each([
  { fault: 'a value that is refused', code: '22001', fails: [true, true] },
  { fault: 'a broken constraint', code: '23505', fails: [true, true] },
  { fault: 'an unknown function', code: '42883', fails: [false, true] },
  { fault: 'a statement that takes too long', code: '57014', fails: [false, true] },
  { fault: 'a deadlock', code: '40P01', fails: [false, false] },
  { fault: 'a conflict of transactions', code: '40001', fails: [false, false] },
  { fault: 'a lock that another holds', code: '55P03', fails: [false, false] },
  { fault: 'a full disk', code: '53100', fails: [false, false] },
])('$fault fails an element, among others and one by one: $fails', ({ code, fails }) => {
  const error = Object.assign(new Error('refused'), { code });
  expect([false, true].map((isOneByOne) => isOfElement(error, isOneByOne))).toEqual(fails);
});
