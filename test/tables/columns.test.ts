import { describe, expect, it } from 'vitest';
import { fieldsMeant, openerOf } from '../../src/tables/index.ts';
import type { TableColumn } from '../../src/tables/index.ts';

async function readAs(name: string, text: string, change: (column: TableColumn) => TableColumn) {
  async function* bytes(): AsyncIterable<Uint8Array> {
    yield new TextEncoder().encode(text);
  }
  const source = await openerOf(name)?.(name, bytes);
  const columns = (await source?.columns())?.map(change) ?? [];
  const entries = [];
  for await (const entry of source?.read(columns) ?? []) entries.push('record' in entry ? entry.record : entry.fault);
  return entries;
}

describe('columns of a table', () => {
  it.each([
    ['Title', 'title'],
    ['Alt text', 'alt_text'],
    ['photographer', 'author'],
    ['File name', 'src_path'],
    ['keywrods', 'keywords'],
    ['remarks', undefined],
    ['Constructor', undefined],
  ])('named %s are probably for %s', (name, field) => {
    expect(fieldsMeant(name)[0]).toBe(field);
  });

  it.each(['list.csv', 'list.tsv', 'list.ndjson'])(
    'of %s are stored where a person says, or left out',
    async (name) => {
      const sign = name.endsWith('.tsv') ? '\t' : ',';
      const text = name.endsWith('.ndjson')
        ? '{"id":"a","words":["x"],"remarks":"r","nsfw":true}'
        : ['id,words,remarks,nsfw', 'a,x,r,yes'].join('\n').replaceAll(',', sign);
      const records = await readAs(name, text, (column) => {
        const field = { words: 'keywords', remarks: null }[column.name];
        return { ...column, field: field === undefined ? column.name : field };
      });
      expect(records).toEqual([{ id: 'a', keywords: ['x'], nsfw: true }]);
    },
  );

  it('fill one list together, each with its own separator', async () => {
    const text = 'id,first,second\na,x; y,z+v\n';
    const records = await readAs('list.csv', text, (column) =>
      column.name === 'id'
        ? column
        : { ...column, field: 'keywords', ...(column.name === 'second' && { separator: '+' }) },
    );
    expect(records).toEqual([{ id: 'a', keywords: ['x', 'y', 'z', 'v'] }]);
  });
});
