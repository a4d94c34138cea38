import { describe, expect, it } from 'vitest';
import { toCell, unguardText } from '../../src/lib/csv-cells.ts';
import { readCsvRows } from '../../src/tables/csv-rows.ts';

/** The texts that a spreadsheet sees in a row. */
async function textsIn(row: string): Promise<string[]> {
  const read = async function* () {
    yield row;
  };
  const texts: string[] = [];
  for await (const each of readCsvRows(read(), ',')) if ('cells' in each) texts.push(...each.cells);
  return texts;
}

describe('a CSV cell whose text begins like a formula', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@sum',
    '\t=1',
    '\r=1',
    '\n=1',
    '\r\n=1',
    '\ttab',
    ' =1',
    '\u00a0=1',
    '＝1',
    '＠sum',
    "'=1",
    "''\n=1",
  ])('such as %j has an apostrophe before it, which an import takes away', async (text) => {
    const [shown = ''] = await textsIn(toCell(text));
    expect(shown).toBe(`'${text}`);
    expect(unguardText(shown)).toBe(text);
  });

  it.each(['a=1', "it's", "'quoted'", ' blank', 'Ñ', '1-2'])('is not one such as %j', async (text) => {
    expect(await textsIn(toCell(text))).toEqual([text]);
    expect(unguardText(text)).toBe(text);
  });
});
