import { formatPlainValue } from '../../../src/search/formula/format.ts';

/** The search whose results are the records of a collection, in its order. */
export function asResults(name: string) {
  return { q: `collection:${formatPlainValue(name)}`, sort: 'collection', order: 'asc' } as const;
}
