/** One kind of attack, by so many connections at once, while the quiet tenant is measured. */
export const sieges = [
  'row 3: 10 000 elements with 1 500 wrong keywords each',
  'row 4: 31 MiB of arrays without a key',
  'row 4: 31 MiB of ampersands without a key',
  'row 5: 80 lists in one packet, not read',
  'row 6: saved formulas in each other',
  'row 7: failed batches, then the operations',
  'row 8: a picture of 83 megapixels',
  'row 9: 95 aliases of 3 000 long captions',
  'row 10: 10 documents of 20 counts',
  'row 14: a formula of 10 MB',
  'JSON: wide arrays, 31 MiB to imgs',
  'document: 20 lists to graphql',
  'pipeline: 80 of list',
] as const;
