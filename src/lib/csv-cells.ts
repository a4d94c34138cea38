/**
 * Cells of CSV that stay what they are: in spreadsheets, which take a text that begins with one of these signs for a
 * formula, and when `vitrine import` reads them back.
 */
const formulaStart = /^'*[=+\-@\t\r]/;

/** A text that no spreadsheet runs: an apostrophe before it, as people write texts there. */
function guardText(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** The text without the apostrophe that guards it. */
export function unguardText(text: string): string {
  return text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text;
}

/** What stands between the values of a list. */
export const listSeparator = '|';

/**
 * The values of a list in one cell. A bar within a value has a backslash before it. A single value that could be taken
 * for several gets a bar behind it, which says what separates values here.
 */
function joinList(values: readonly string[]): string {
  const joined = values.map((value) => value.replaceAll(/[\\|]/g, String.raw`\$&`)).join(listSeparator);
  return values.length === 1 && /[\\|;,]/.test(joined) ? joined + listSeparator : joined;
}

/** The values of a cell, as `joinList` writes them. */
export function splitList(cell: string): string[] {
  const parts = cell.match(/(?:\\[\\|]|[^|])+/g) ?? [];
  return parts.map((part) => part.replaceAll(/\\([\\|])/g, '$1'));
}

/** A cell by RFC 4180. */
export function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string' && !Array.isArray(value)) return String(value);
  const text = guardText(typeof value === 'string' ? value : joinList(value));
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
