import process from 'node:process';
import { printable } from './printable.ts';

/**
 * Prints a value as JSON if requested, else the text of `text`; with `isPainted`, the text has our own colors, and
 * control characters of others were replaced before.
 */
export function writeLine(
  value: unknown,
  { json, text, isPainted = false }: Readonly<{ json: boolean | undefined; text: () => string; isPainted?: boolean }>,
): void {
  const shown = () => (isPainted ? text() : printable(text()));
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : shown()}\n`);
}

/** Formats rows under headings; columns are as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function formatDate(date: Date | null): string {
  return date === null ? '-' : date.toISOString().slice(0, 16).replace('T', ' ');
}
