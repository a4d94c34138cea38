import { openCsv } from './csv.ts';
import { openJson, openLines } from './json.ts';
import type { ImportSource, OpenBytes } from './table.ts';

type Opener = (name: string, bytes: OpenBytes) => Promise<ImportSource>;

const openers: Readonly<Record<string, Opener>> = {
  '.json': openJson,
  '.ndjson': openLines,
  '.jsonl': openLines,
  '.csv': openCsv,
  '.tsv': openCsv,
};

/** File name extensions of tables. */
export const tableEndings: readonly string[] = Object.keys(openers);

/** Returns the opener for a table with this file name; null if it is not a table. */
export function openerOf(name: string): Opener | null {
  const ending = /\.[^./\\]+$/.exec(name)?.[0].toLowerCase() ?? '';
  return Object.hasOwn(openers, ending) ? (openers[ending] ?? null) : null;
}
