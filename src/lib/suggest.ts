/**
 * Returns up to three known words that are at most `most` edits from `word`, closest first. The default is two edits,
 * or one for a short word.
 */
export function suggest(word: string, known: readonly string[], most = word.length < 4 ? 1 : 2): string[] {
  return known
    .map((name) => ({ name, edits: editDistance(word, name) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
    .slice(0, 3);
}

/** Returns the edit distance of two words: insertions, deletions, substitutions and swaps of adjacent letters. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let [before, previous]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(change, (previous?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before?.[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    [before, previous] = [previous, row];
  }
  return previous?.[b.length] ?? 0;
}

export function didYouMean(suggestions: readonly string[], otherwise: string): string {
  if (suggestions.length === 0) return otherwise;
  const last = suggestions.at(-1) ?? '';
  return `Did you mean ${suggestions.length === 1 ? last : `${suggestions.slice(0, -1).join(', ')} or ${last}`}?`;
}
