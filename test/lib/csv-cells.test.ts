import { describe, expect, it } from 'vitest';
import { splitList, toCell, unguardText } from '../../src/lib/csv-cells.ts';
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

describe('a CSV cell of a list', () => {
  it.each([
    [['a', 'b c'], 'a|b c'],
    [[' a', 'b '], String.raw`\ a|b\ `],
    [[' '], String.raw`\ |`],
    [['\t\n', '  c  '], '\\\t\\\n|\\  c \\ '],
    [['a\\ ', '\\'], String.raw`a\\\ |\\`],
    [['|', 'a\\'], String.raw`\||a\\`],
    [[' =1'], String.raw`\ =1|`],
  ])('has its values %j, with blanks at their ends', async (values, cell) => {
    const [shown = ''] = await textsIn(toCell(values));
    expect(shown).toBe(cell);
    expect(splitList(unguardText(shown))).toEqual(values);
  });

  it('may have blanks around its values', () => {
    expect(splitList(String.raw` a | b\  |\ c`)).toEqual(['a', 'b ', ' c']);
  });
});
