import { expect, it } from 'vitest';
import { faultOfAddress } from '../../src/catalog/source-address.ts';

it.each([
  ['http://pictures.example.com/a.jpg', null],
  [`https://pictures.example.com/${'a/'.repeat(4_000)}`, null],
  [`https://pictures.example.com?${'a'.repeat(4_000)}`, null],
  ['https:\\\\pictures.example.com\\a', null],
  ['ftp://example.com/a', 'not_http'],
  ['a.jpg', 'not_absolute'],
  [`http://a${'\u0323\u0301'.repeat(4_000)}/a.jpg`, 'not_absolute'],
  [`http:\t/\\ a${'\u0323\u0301'.repeat(4_000)}`, 'not_absolute'],
] as const)('An address has a host of a length that is read in little time: %#', (address, fault) => {
  expect(faultOfAddress(address)).toBe(fault);
});
