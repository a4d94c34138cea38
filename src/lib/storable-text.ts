/**
 * Makes a text storable in PostgreSQL and JSON: without NUL and lone surrogates, cut to `longest` UTF-16 units. For
 * texts from outside our callers: those of files, models and remote services.
 */
export function storableText(text: string, longest = Infinity): string {
  // Cut first, because a cut may split a surrogate pair.
  return text.replaceAll('\0', '').slice(0, longest).toWellFormed();
}
