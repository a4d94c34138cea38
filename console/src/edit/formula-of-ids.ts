import { formatPlainValue } from '../../../src/search/formula/format.ts';

/** The formula that finds records by their ids. */
export function formulaOfIds(ids: Iterable<string>): string {
  return `id:${[...ids].map(formatPlainValue).join(',')}`;
}
