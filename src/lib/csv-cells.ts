import { trimEndWhere } from './trim.ts';

/** CSV cells that keep their value in spreadsheets and when `vitrine import` reads them back. */

/**
 * Texts that spreadsheets would read as formulas, by how they begin: some spreadsheets drop blanks first, and Japanese
 * ones accept the full-width forms.
 */
const formulaStart = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/**
 * Guards a text so that no spreadsheet runs it, by putting an apostrophe in front, as people do when they type such
 * texts.
 */
function guardText(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** Removes the apostrophe that guards a text. */
export function unguardText(text: string): string {
  return text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text;
}

/** Separates the values of a list. */
export const listSeparator = '|';

/**
 * Joins the values of a list in one cell. A bar within a value, and a blank at its ends, is escaped with a backslash.
 * A single value that could be read as several gets a bar at its end, which shows what the separator is here.
 */
function joinList(values: readonly string[]): string {
  const joined = values.map((value) => value.replaceAll(/[\\|]|^\s|\s$/g, String.raw`\$&`)).join(listSeparator);
  return values.length === 1 && /[\\|;,]/.test(joined) ? joined + listSeparator : joined;
}

/** Reads the values of a cell that `joinList` wrote, without the blanks around them. */
export function splitList(cell: string): string[] {
  const parts = cell.match(/(?:\\[\\|]|[^|])+/g) ?? [];
  return parts.map((part) => trimPart(part).replaceAll(/\\([\\|\s])/g, '$1'));
}

/** Removes blanks at both ends, except those that a backslash escapes. */
function trimPart(part: string): string {
  const bare = part.trim();
  const backslashes = bare.length - trimEndWhere(bare, (character) => character === '\\').length;
  return backslashes % 2 === 0 ? bare : bare + (part.trimStart()[bare.length] ?? '');
}

/** Formats a value as a cell by RFC 4180. */
export function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string' && !Array.isArray(value)) return String(value);
  const text = guardText(typeof value === 'string' ? value : joinList(value));
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
