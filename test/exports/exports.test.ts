import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openImport } from '../../src/cli/import/sources.ts';
import { readCsvRows } from '../../src/tables/csv-rows.ts';
import type { ImportEntry } from '../../src/tables/index.ts';
import { newFolder } from '../support/program.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let stranger: Client;

/** Values that CSV, spreadsheets and lists could take for something else. */
const records = [
  {
    id: 'plain',
    src_path: 'p.png',
    title: 'Boats',
    caption: 'Two lines,\r\n"quoted"; and\ta tab',
    keywords: ['sea', 'Smith, John', 'a|b', String.raw`back\slash`, String.raw`ends\ `.trim()],
    nsfw: false,
    date: '1931-05',
  },
  { id: '=1+1', src_path: 'p.png', title: '=cmd|"/c calc"!A1', headline: '@sum', author: '-minus', event: "'=kept" },
  {
    id: 'niño 日本',
    src_path: 'p.png',
    title: ' blanks ',
    keywords: ['one, not two'],
    categories: ['=x'],
    collections: [' front ', 'back'],
    status: '+1',
  },
  { id: 'bare', src_path: 'p.png' },
];

beforeAll(async () => {
  world = await openWorld();
  client = await world.client({ tenant: 'ours', role: 'editor' });
  stranger = await world.client({ tenant: 'theirs', role: 'editor' });
  await world.picture('p.png');
  await client.write('POST', '/imgs', records);
});
afterAll(() => world.close());

type Exported = Readonly<{ text: string; operation: Record<string, unknown>; file: Record<string, unknown> }>;

/** Exports, waits, and downloads the file. */
async function exported(request: object, by = client, path = '/exports/imgs'): Promise<Exported> {
  const operation = await by.write('POST', path, request);
  const { status, body: file } = await by.rest('GET', `/exports/${operation.operation_id}`);
  expect(status).toBe(200);
  const answer = await fetch(world.url + file.url);
  expect(answer.status).toBe(200);
  return { text: await answer.text(), operation, file };
}

/** What `vitrine import` reads from a file. */
async function imported(name: string, text: string): Promise<unknown[]> {
  const path = join(newFolder({ name: 'export-' }), name);
  writeFileSync(path, text);
  const entries: ImportEntry[] = [];
  for await (const entry of (await openImport([path], [])).read()) entries.push(entry);
  return entries.map((entry) => ('record' in entry ? entry.record : entry));
}

const ids = records.map(({ id }) => id);

describe('an export', () => {
  it.each(['csv', 'ndjson'])('as %s is read back by an import as it was', async (format) => {
    const { text, operation, file } = await exported({ ids, format });
    expect(operation).toMatchObject({ method: 'multiple', num_total: 4, num_good: 4, num_bad: 0, is_finished: true });
    expect(file).toMatchObject({ format, num_records: 4, byte_size: Buffer.byteLength(text) });
    const read = await imported(`records.${format}`, text);
    const filled = (record: object) =>
      Object.fromEntries(
        Object.entries(record).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
      );
    expect(read.map((record) => filled(record as object))).toEqual(records.map(filled));
  });

  it('as CSV has a header and no cell that a spreadsheet runs', async () => {
    const { text } = await exported({ ids, format: 'csv', fields: ['title', 'author', 'width', 'keywords'] });
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('id,title,author,width,keywords');
    const cells: string[] = [];
    for await (const row of readCsvRows(Readable.from([text]), ',')) cells.push(...('cells' in row ? row.cells : []));
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(cells).toContain("'=1+1");
    expect(cells).toContain('40');
  });

  it('by formula has what it finds when it is accepted, in the order that is asked for', async () => {
    const request = { q: 'has:title', format: 'ndjson', fields: ['title'], sort_by: 'title', sort_order: 'asc' };
    const { text } = await exported(request);
    const titles = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { title: string }).title);
    expect(titles).toEqual(titles.toSorted((a, b) => a.localeCompare(b, 'en')));
    expect(titles).toHaveLength(3);
  });

  it('reports records that do not exist, and has the others', async () => {
    const { text, operation } = await exported({ ids: ['plain', 'nobody', 'plain'], format: 'csv', fields: [] });
    expect(operation).toMatchObject({
      num_good: 1,
      num_bad: 2,
      errors: [
        { id: 1, ref: 'nobody', code: 'not_found' },
        { id: 2, ref: 'plain', code: 'duplicate_in_batch' },
      ],
    });
    expect(text).toBe('id\r\nplain\r\n');
  });

  it('is one operation however often it is sent with the same key, and writes go on meanwhile', async () => {
    const again = { 'Idempotency-Key': 'an export' };
    const [first, second] = [
      await client.rest('POST', '/exports/imgs', { q: '', format: 'csv' }, again),
      await client.rest('POST', '/exports/imgs', { q: '', format: 'csv' }, again),
    ];
    expect([first.status, second.body]).toEqual([202, first.body]);
    expect((await client.rest('POST', '/exports/imgs', { q: '', format: 'ndjson' }, again)).status).toBe(422);
  });

  it('of videos and by GraphQL is the same', async () => {
    const asked = await client.graphql(
      'mutation { exportImages(of: { q: "id:plain" }, format: ndjson, fields: ["title"], wait: true) { ... on Operation { id numGood } } }',
    );
    expect(asked.data.exportImages.numGood).toBe(1);
    const { data } = await client.graphql('query ($id: BigInt!) { exportFile(operationId: $id) { name url } }', {
      id: asked.data.exportImages.id,
    });
    expect(data.exportFile.name).toBe(`images-${asked.data.exportImages.id}.ndjson`);
    expect(await (await fetch(world.url + data.exportFile.url)).json()).toEqual({ id: 'plain', title: 'Boats' });
    const none = await client.rest('POST', '/exports/vids', { q: '', format: 'csv' });
    expect([none.status, none.body.detail[0].msg]).toEqual([422, 'The formula finds no video']);
  });
});

describe('the file of an export', () => {
  it('is downloaded under its name, whole or in parts', async () => {
    const { text, file } = await exported({ ids, format: 'csv' });
    const url = world.url + String(file['url']);
    const whole = await fetch(url, { method: 'HEAD' });
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="${String(file['name'])}"`);
    expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(whole.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    const part = await fetch(url, { headers: { Range: 'bytes=3-9' } });
    expect([part.status, await part.text()]).toEqual([206, Buffer.from(text).subarray(3, 10).toString()]);
    expect((await fetch(url, { headers: { Range: 'bytes=99999999-' } })).status).toBe(416);
  });

  it('is not found by another tenant, nor by an address that is altered', async () => {
    const { file, operation } = await exported({ ids, format: 'csv' });
    expect((await stranger.rest('GET', `/exports/${String(operation['operation_id'])}`)).status).toBe(404);
    const altered = String(file['url']).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect((await fetch(world.url + altered)).status).toBe(403);
    expect((await fetch(`${world.url}/downloads/`)).status).toBe(403);
  });

  it('is gone a day later, and its bytes as well', async () => {
    const { file, operation } = await exported({ ids, format: 'csv' });
    const filesKept = () =>
      readdirSync(join(world.media, 'exports'), { recursive: true, withFileTypes: true }).filter((each) =>
        each.isFile(),
      );
    expect(filesKept().length).toBeGreaterThan(0);
    const later = new Date(Date.now() + 25 * 3_600_000);
    expect(await world.exports.removeExpired(later)).toBeGreaterThan(0);
    expect(filesKept()).toEqual([]);
    expect((await fetch(world.url + String(file['url']))).status).toBe(404);
    expect((await client.rest('GET', `/exports/${String(operation['operation_id'])}`)).status).toBe(404);
  });

  it('is not there when its export was aborted', async () => {
    const own = await openWorld({ worker: false });
    const by = await own.client();
    await own.picture('p.png');
    const { body } = await by.rest('POST', '/exports/imgs', { ids: ['a', 'b'], format: 'csv' });
    await by.rest('DELETE', `/ops/${body.operation_id}`);
    own.startWorker();
    expect((await by.rest('GET', `/ops/${body.operation_id}`)).body).toMatchObject({
      is_aborted: true,
      is_finished: true,
    });
    expect((await by.rest('GET', `/exports/${body.operation_id}`)).status).toBe(404);
    expect(existsSync(join(own.media, 'exports'))).toBe(false);
    await own.close();
  });

  it('that cannot be stored fails the export with the reason', async () => {
    const own = await openWorld();
    const by = await own.client();
    await own.picture('p.png');
    await by.write('POST', '/imgs/a', { src_path: 'p.png' });
    const { pool } = own.backing.database;
    const { body } = await by.rest('POST', '/exports/imgs?wait=true', { ids: ['a'], format: 'csv' });
    await pool.query('UPDATE export_file SET byte_size = 16 * 2::bigint ^ 30 WHERE operation_id = $1', [
      body.operation_id,
    ]);
    const failed = await by.write('POST', '/exports/imgs', { ids: ['a'], format: 'csv' });
    expect(failed).toMatchObject({ num_good: 0, num_bad: 1, errors: [{ code: 'too_large', ref: 'export' }] });
    expect(failed.errors[0].msg).toContain('16 GiB');
    expect((await by.rest('GET', `/exports/${failed.operation_id}`)).status).toBe(404);
    await own.close();
    rmSync(own.media, { recursive: true, force: true });
  });
});

describe('a request for an export', () => {
  it.each([
    [{ ids: ['a'], format: 'csv', fields: ['titel'] }, 'fields', "No field of images has the name 'titel'"],
    [{ ids: ['a'], q: 'x', format: 'csv' }, 'q', 'Give exactly one of ids and q'],
    [{ format: 'csv' }, 'q', 'Give exactly one of ids and q'],
    [{ q: 'id:nobody-at-all', format: 'csv' }, 'q', 'The formula finds no image'],
    [{ q: '', format: 'csv', sort_by: 'nothing' }, 'sortBy', "Cannot sort images by 'nothing'"],
  ])('%j is refused at %s', async (request, argument, message) => {
    const { status, body } = await client.rest('POST', '/exports/imgs', request);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(message)]);
    expect(JSON.stringify(body)).toContain(argument === 'sortBy' ? 'sort' : argument);
  });

  it('takes exactly one way to say which records, in GraphQL as an input of one field', async () => {
    const document = (of: string) => `mutation { exportImages(of: ${of}, format: csv) { __typename } }`;
    for (const of of ['{}', '{ ids: ["plain"], q: "" }', '{ q: null }']) {
      const { data, errors } = await client.graphql(document(of));
      expect([data ?? null, errors?.[0]?.message]).toEqual([
        null,
        expect.stringMatching(/exactly one|must be non-null/i),
      ]);
    }
    const given = 'mutation ($of: ExportedRecords!) { exportImages(of: $of, format: csv) { __typename } }';
    const { errors } = await client.graphql(given, { of: { ids: ['plain'], q: '' } });
    expect(errors?.[0]?.message).toContain('$of');
    const { data } = await client.graphql('{ __type(name: "ExportedRecords") { isOneOf } }');
    expect(data).toEqual({ __type: { isOneOf: true } });
  });

  it('names the formats that there are', async () => {
    const { status, body } = await client.rest('POST', '/exports/imgs', { ids: ['a'], format: 'xls' });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'format']]);
  });

  it('needs the right to export and to read', async () => {
    const viewer = await world.client({ tenant: 'ours', role: 'tagger' });
    expect((await viewer.rest('POST', '/exports/imgs', { q: '', format: 'csv' })).status).toBe(403);
    const blind = await world.client({ tenant: 'ours', role: 'editor', scopes: ['exports:write'] });
    expect((await blind.rest('POST', '/exports/imgs', { ids: ['plain'], format: 'csv' })).status).toBe(403);
    // Nor what another has exported: the file has what the records have.
    const { operation_id: id } = await client.write('POST', '/exports/imgs', { ids, format: 'csv' });
    expect((await client.rest('GET', `/exports/${id}`)).status).toBe(200);
    const ofVideos = await world.client({ tenant: 'ours', role: 'editor', scopes: ['exports:write', 'vids:read'] });
    for (const other of [blind, ofVideos]) {
      const answer = await other.rest('GET', `/exports/${id}`);
      expect([answer.status, answer.body.required_scope]).toEqual([403, 'imgs:read']);
    }
  });

  it('is in the audit trail', async () => {
    const admin = await world.client({ tenant: 'ours' });
    const { data } = await admin.graphql('{ auditTrail(limit: 100) { results { action subject } } }');
    expect(data.auditTrail.results).toContainEqual({ action: 'record.exported', subject: 'csv of 4 images by id' });
  });
});
