import { describe, expect, it } from 'vitest';
import { openJson, openLines } from '../../src/tables/json.ts';
import { maxJsonCharacters, maxRecordCharacters } from '../../src/tables/limits.ts';
import type { ImportEntry } from '../../src/tables/table.ts';
import { full } from '../support/effort.ts';

/** Bytes of a file, in pieces of this many characters. */
function bytesOf(text: string, size: number): () => AsyncIterable<Uint8Array> {
  return async function* read() {
    for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
  };
}

async function entriesOf(text: string, size = 2 ** 16): Promise<ImportEntry[]> {
  const entries: ImportEntry[] = [];
  for await (const entry of (await openLines('list.ndjson', bytesOf(text, size))).read()) entries.push(entry);
  return entries;
}

describe('a file with one JSON record per line', () => {
  it.each([1, 2, 3, 1_000])('is read line by line, wherever it is cut (pieces of %i characters)', async (size) => {
    expect(await entriesOf('{"id":"a"}\r\n\n{"id":"\u2028"}\n[]\n{"id":', size)).toEqual([
      { place: 'line 1', record: { id: 'a' }, characters: 10 },
      { place: 'line 3', record: { id: '\u2028' }, characters: 10 },
      { place: 'line 4', fault: 'not a record: it must be an object such as {"id": "1", "src_path": "a.jpg"}' },
      { place: 'line 5', fault: expect.stringMatching(/^not JSON: /) },
    ]);
  });

  it('has lines that fail alone, if they are longer than any record', full, async () => {
    const long = `{"id":"${'x'.repeat(20 * maxRecordCharacters)}"}`;
    expect(await entriesOf(`{"id":"a"}\n${long}\n{"id":"b"}\n${long}`)).toEqual([
      { place: 'line 1', record: { id: 'a' }, characters: 10 },
      { place: 'line 2', fault: 'longer than 4 million characters' },
      { place: 'line 3', record: { id: 'b' }, characters: 10 },
      { place: 'line 4', fault: 'longer than 4 million characters' },
    ]);
  });
});

it('a JSON file that is too large to be read as a whole is refused, with what to do', full, async () => {
  async function* read(): AsyncIterable<Uint8Array> {
    const piece = Buffer.alloc(2 ** 22, '[');
    for (let length = 0; length <= maxJsonCharacters; length += piece.length) yield piece;
  }
  await expect(openJson('list.json', read)).rejects.toThrow(
    'list.json has more than 268 million characters: save it with one record per line, as .ndjson.',
  );
});
