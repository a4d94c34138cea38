/**
 * A text as PostgreSQL and JSON can store it: without NUL, without halves of surrogate pairs, cut to so many UTF-16 units.
 * For texts that no caller of ours wrote: those of files, models and remote services.
 */
export function storableText(text: string, longest = Infinity): string {
  // Cut first: a cut may divide a pair.
  return text.replaceAll('\0', '').slice(0, longest).toWellFormed();
}
