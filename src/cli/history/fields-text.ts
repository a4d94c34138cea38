import process from 'node:process';
import type { FieldChange, KeptValue } from '../../catalog/index.ts';
import { printable } from '../printable.ts';

/** Maximum characters of a value that are printed. */
const longest = 200;

type Paint = (text: string) => string;
const escape =
  (code: number): Paint =>
  (text) =>
    `\u001B[${code}m${printable(text)}\u001B[0m`;

/** Makes text printable, in colors for removed and added values if the terminal supports colors. */
export function paints(): Readonly<{ before: Paint; after: Paint; heading: Paint }> {
  const isColored = process.stdout.isTTY && process.stdout.hasColors();
  return isColored
    ? { before: escape(31), after: escape(32), heading: escape(1) }
    : { before: printable, after: printable, heading: printable };
}

/** The fields of a change as lines: `- title: Sea` and `+ title: Lake`. */
export function fieldLines(fields: readonly FieldChange[]): string[] {
  const { before: red, after: green } = paints();
  return fields.flatMap(({ field, before, after, beforeProvenance, afterProvenance }) => [
    ...(before === null ? [] : [red(`  - ${field}: ${valueText(before)}${finderText(beforeProvenance)}`)]),
    ...(after === null ? [] : [green(`  + ${field}: ${valueText(after)}${finderText(afterProvenance)}`)]),
  ]);
}

function valueText(value: KeptValue): string {
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : String(value);
  // Stored text must not control the terminal.
  const line = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

function finderText(provenance: FieldChange['beforeProvenance']): string {
  return provenance === null ? '' : ` (${provenance.analyzer} ${provenance.version})`;
}
