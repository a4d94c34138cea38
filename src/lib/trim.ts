/**
 * Removes from both ends what `isBlank` accepts, one UTF-16 unit at a time. Takes linear time, unlike a regular
 * expression that ends in `+$`, which starts over at each blank of a long run.
 */
export function trimWhere(text: string, isBlank: (character: string) => boolean): string {
  let start = 0;
  while (start < text.length && isBlank(text.charAt(start))) start += 1;
  return trimEndWhere(text.slice(start), isBlank);
}

/** Like trimWhere, at the end only. */
export function trimEndWhere(text: string, isBlank: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
