/** Minimum letters of words that are corrected by one edit, and by two. */
const letters = { one: 5, two: 9 } as const;

/** Returns the maximum edit distance of a mistyped word; zero for short ones and those with digits. */
export function toleratedEdits(text: string): number {
  const { length } = [...text];
  if (length < letters.one || /\p{N}/u.test(text)) return 0;
  return length >= letters.two ? 2 : 1;
}

/** Returns each text with two adjacent characters swapped: one edit, which the database counts as two. */
export function swappedNeighbors(text: string): string[] {
  const signs = [...text];
  return signs.slice(1).map((sign, index) =>
    signs
      .with(index, sign)
      .with(index + 1, signs[index] ?? '')
      .join(''),
  );
}
