import { describe, expect, it } from 'vitest';
import { readCsvRows } from '../../src/tables/csv-rows.ts';
import { maxRecordCharacters } from '../../src/tables/limits.ts';

async function rowsOf(pieces: readonly string[], delimiter = ','): Promise<unknown[]> {
  async function* read(): AsyncIterable<string> {
    yield* pieces;
  }
  const rows: unknown[] = [];
  for await (const row of readCsvRows(read(), delimiter)) rows.push('cells' in row ? row.cells : row);
  return rows;
}

describe('rows of a CSV text', () => {
  it.each([
    {
      what: 'cells without blanks around them',
      text: ' a , b\nc,\t"d" \n',
      rows: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
    { what: 'line breaks, commas and blanks in quotes', text: 'a,"b,\r\n c "\n', rows: [['a', 'b,\r\n c ']] },
    { what: 'doubled quotes as one', text: '"say ""hi""",b\n', rows: [['say "hi"', 'b']] },
    { what: 'a quote inside a text', text: '5" disc,"7" disc",b\n', rows: [['5" disc', '7" disc', 'b']] },
    { what: 'an empty text in quotes', text: '"",a\n', rows: [['', 'a']] },
    {
      what: 'each kind of line break, and a last line without one',
      text: 'a\r\nb\rc\n\n \nd',
      rows: [['a'], ['b'], ['c'], ['d']],
    },
    {
      what: 'what comes before a quote that never closes',
      text: 'a\n"b\nc',
      rows: [['a'], { place: 'row 2', fault: 'a quote opens here and never closes: the rest was ignored' }],
    },
  ])('have $what, wherever the text is cut', async ({ text, rows }) => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(await rowsOf([text.slice(0, cut), text.slice(cut)])).toEqual(rows);
    }
  });

  it('keep empty cells where tabs separate them', async () => {
    expect(await rowsOf(['a\t\tb\n\t\tc'], '\t')).toEqual([
      ['a', '', 'b'],
      ['', '', 'c'],
    ]);
  });

  it('that are longer than any record are faults alone, unless a quote opens them: then the rest is not read', async () => {
    const long = 'x'.repeat(maxRecordCharacters);
    expect(await rowsOf(['a\n', long, ',"y\n', 'b,"\nc"'])).toEqual([
      ['a'],
      { place: 'row 2', fault: 'longer than 4 million characters' },
      ['b', '\nc'],
    ]);
    let pieces = 0;
    async function* endless(): AsyncIterable<string> {
      yield 'a\n"b';
      for (; pieces < 1_000; pieces += 1) yield 'c,d\n'.repeat(2 ** 14);
    }
    const rows = [];
    for await (const row of readCsvRows(endless(), ',')) rows.push(row);
    expect(rows).toEqual([
      { place: 'row 1', cells: ['a'] },
      { place: 'row 2', fault: 'a quote opens here and never closes: the rest was ignored' },
    ]);
    expect(pieces).toBeLessThan(100);
  });
});
