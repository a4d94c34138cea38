/** Minimum length of words in which one typing mistake is corrected, and two. */
const letters = { one: 5, two: 9 } as const;

/** Returns how many edits away a correction may be; zero for short words and those with digits. */
export function toleratedEdits(text: string): number {
  const { length } = [...text];
  if (length < letters.one || /\p{N}/u.test(text)) return 0;
  return length >= letters.two ? 2 : 1;
}

/** Returns each text with two adjacent characters swapped. That is one edit, but the database counts it as two. */
export function swappedNeighbors(text: string): string[] {
  const signs = [...text];
  return signs.slice(1).map((sign, index) =>
    signs
      .with(index, sign)
      .with(index + 1, signs[index] ?? '')
      .join(''),
  );
}
