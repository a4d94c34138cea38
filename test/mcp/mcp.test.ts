import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { removeExpired } from '../../src/operations/index.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { cloneDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

type Part = Readonly<{ type: string; text?: string; data?: string; mimeType?: string }>;
type Called = Readonly<{ isError: boolean; text: string; value: any; parts: readonly Part[] }>;

let world: World;
/** Another process's part of the service, on the same database. */
let elsewhere: World;
let admin: Client;
let folder: string;
const open: McpClient[] = [];

beforeAll(async () => {
  const imageAnalyzer = analyzerOf(['shape', 'colors', 'pdq', 'localFeatures']);
  const database = await cloneDatabase(inject('postgresUrl'));
  const mediaRoots = [join(packageRoot, 'examples', 'pictures')];
  world = await openWorld({ mediaRoots, analyses: true, imageAnalyzer, database });
  elsewhere = await openWorld({ mediaRoots, worker: false, database: { ...database, drop: async () => {} } });
  admin = await world.client();
  await admin.write('POST', '/imgs?lang=en', readFileSync(join(packageRoot, 'examples', 'catalog.json'), 'utf8'));
  folder = mkdtempSync(join(tmpdir(), 'vitrine-mcp-'));
  writeFileSync(join(folder, 'key'), admin.key);
});
afterAll(async () => {
  for (const each of open) await each.close();
  await elsewhere.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

const overHttp = (key: string, { url } = world) =>
  new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers: { 'API-Key': key } } });
const program = join(packageRoot, 'bin', 'vitrine.js');
const bridge = () => ['mcp', '--url', world.url, '--key-file', join(folder, 'key')];
const overStdio = () =>
  new StdioClientTransport({ command: process.execPath, args: [program, ...bridge()], cwd: folder });

async function connect(transport: Transport): Promise<McpClient> {
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(transport);
  open.push(client);
  return client;
}

async function call(client: McpClient, name: string, input: Record<string, unknown> = {}): Promise<Called> {
  const { isError = false, content } = await client.callTool({ name, arguments: input });
  const parts = content as Part[];
  const { text = '' } = parts[0] ?? {};
  return { isError: isError === true, text, value: text.startsWith('{') ? JSON.parse(text) : null, parts };
}

describe.each([
  ['streamable HTTP', () => overHttp(admin.key)],
  ['stdio', overStdio],
])('the Model Context Protocol over %s', (_, transport) => {
  let client: McpClient;

  beforeAll(async () => {
    client = await connect(transport());
  });

  it('lists its tools, and texts about formulas that follow from the tables', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search',
      'explain',
      'formula_help',
      'get',
      'tag_image',
      'find_similar',
      'propose_changes',
      'apply_changes',
      'operations',
      'undo_operation',
    ]);
    const { properties } = tools.find(({ name }) => name === 'tag_image')?.inputSchema ?? {};
    expect(properties?.['lang']).toMatchObject({ enum: ['en', 'es', 'pt', 'fr', 'ru'] });
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(2);
    const { contents } = await client.readResource({ uri: 'vitrine://formula/fields' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('- country (keyword; : = !=): Country name.') });
    expect((await call(client, 'formula_help')).text).toContain('- has:caption: The field is present');
  });

  it('searches, with previews as pictures', async () => {
    const { value, parts } = await call(client, 'search', {
      formula: 'date:..1900',
      previews: 2,
      sort_by: 'title',
      sort_order: 'asc',
    });
    expect(value.count).toBe(3);
    expect(value.records[0]).toMatchObject({ imageId: 'alps', country: 'France' });
    const pictures = parts.filter(({ type }) => type === 'image');
    expect(pictures.map(({ mimeType }) => mimeType)).toEqual(['image/jpeg', 'image/jpeg']);
    expect(
      Buffer.from(pictures[0]?.data ?? '', 'base64')
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('ffd8ff');
  });

  it('answers a wrong formula with the hint that makes the second one right', async () => {
    const { isError, text } = await call(client, 'search', { formula: 'contry:Japan' });
    expect(isError).toBe(true);
    expect(text).toContain('Hint: Did you mean country?');
    const [, hinted] = /Did you mean (\w+)\?/.exec(text) ?? [];
    expect((await call(client, 'search', { formula: `${hinted}:Japan` })).value.count).toBe(1);
    const { value } = await call(client, 'search', { formula: 'author:lange' });
    expect(value.suggestions[0].formula).toBe('author:"Dorothea Lange"');
  });

  it('proposes a change, applies just that, and takes it back', async () => {
    const proposed = await call(client, 'propose_changes', {
      formula: 'country:Japan',
      set: { status: 'checked', keywords: { add: ['harbor'] } },
    });
    expect(proposed.value).toMatchObject({ numGood: 1, numBad: 0, changes: { count: 1 } });
    const { fields } = proposed.value.changes.results[0];
    expect(fields).toContainEqual({ field: 'status', after: 'checked' });
    expect((await call(client, 'get', { image_id: 'nagasaki' })).value.status).toBeUndefined();
    const { proposal_id: id } = proposed.value;
    const applied = await call(client, 'apply_changes', { proposal_id: id });
    expect(applied.value).toMatchObject({ numGood: 1, isFinished: true });
    expect((await call(client, 'get', { image_id: 'nagasaki' })).value).toMatchObject({ status: 'checked' });
    const again = await call(client, 'apply_changes', { proposal_id: id });
    expect(again.value.id).toBe(applied.value.id);
    expect((await call(client, 'operations', { operation_id: applied.value.id })).value).toMatchObject({ numGood: 1 });
    expect((await call(client, 'undo_operation', { operation_id: applied.value.id })).value).toMatchObject({
      numGood: 1,
    });
    expect((await call(client, 'get', { image_id: 'nagasaki' })).value.status).toBeUndefined();
    expect((await call(client, 'operations')).value.results.length).toBeGreaterThan(2);
  });
});

describe('over stdio', () => {
  it('messages are answered although nothing comes after them', async () => {
    const asked = run(process.execPath, [program, ...bridge()], { cwd: folder, env: getDefaultEnvironment() });
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    asked.child.stdin?.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    const answers = (await asked).stdout.trim().split('\n').map((line) => JSON.parse(line)); // prettier-ignore
    expect(answers.map(({ id, error }) => [id, error]).toSorted()).toEqual([[1, undefined], [2, undefined]]); // prettier-ignore
  });

  it.each(['/archive', '/archive/', '/archive/mcp'])('a service may be below a path: %s', async (path) => {
    // Nothing listens there.
    const args = [program, 'mcp', '--url', `http://127.0.0.1:1${path}`, '--key-file', join(folder, 'key')];
    const asked = run(process.execPath, args, { cwd: folder, env: getDefaultEnvironment() });
    asked.child.stdin?.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`);
    const { error } = JSON.parse((await asked).stdout) as { error: { message: string } };
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:1\/archive\/mcp: /);
  });
});

describe('a tool', () => {
  let client: McpClient;

  beforeAll(async () => {
    client = await connect(overHttp(admin.key));
  });

  it('finds copies of a record, and needs one reference', async () => {
    await admin.write('POST', '/imgs/copy', { src_path: 'french-alpine-landscape.jpg' });
    const { value } = await call(client, 'find_similar', { image_id: 'alps', kind: 'exact', and: 'no:country' });
    expect(value.records).toMatchObject([{ imageId: 'copy', similarity: 1 }]);
    await admin.write('DELETE', '/imgs/copy');
    const none = await call(client, 'find_similar', {});
    expect(none).toMatchObject({ isError: true, text: 'Give exactly one of image_id, image_url and text' });
    const missing = await call(client, 'find_similar', { image_id: 'a" OR *' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('Use the id of an image') });
  });

  it('tags a picture', full, async () => {
    const bytes = readFileSync(join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg'));
    const { value } = await call(client, 'tag_image', { image_base64: bytes.toString('base64') });
    expect(value.colors.length).toBeGreaterThan(0);
    expect((await call(client, 'tag_image', { image_base64: 'AAAA' })).isError).toBe(true);
  });

  it.each([
    ['a field that cannot be set', 'propose_changes', { ids: ['alps'], set: { width: 3 } }, 'width'],
    ['nothing to do', 'propose_changes', { ids: ['alps'] }, 'Give either set or delete'],
    ['no images', 'propose_changes', { delete: true }, 'Give exactly one of ids and formula'],
    ['a formula that finds nothing', 'propose_changes', { formula: 'country:Peru', delete: true }, 'finds nothing'],
    ['a value that is none', 'search', { limit: 1000 }, 'limit'],
    ['a record that does not exist', 'get', { image_id: 'nowhere' }, 'No image has the id nowhere'],
    ['an operation that does not exist', 'undo_operation', { operation_id: 987_654 }, 'There is no operation 987654'],
    ['a picture that is too large', 'tag_image', { image_base64: 'A'.repeat(1_000_004) }, 'give image_url'],
    ['no id of a proposal', 'apply_changes', { proposal_id: '\0' }, 'propose again'],
    ['a proposal that was not made', 'apply_changes', { proposal_id: 'prop_x' }, 'propose again'],
    ['a tool that does not exist', 'drop_tables', {}, "There is no tool 'drop_tables'"],
  ])('refuses %s, and says so', async (_, name, input, said) => {
    expect(await call(client, name, input)).toMatchObject({ isError: true, text: expect.stringContaining(said) });
  });

  it('applies a proposal only for the key that made it, and does what the key may do', async () => {
    const { value } = await call(client, 'propose_changes', { ids: ['alps'], delete: true });
    expect(value.changes.results[0]).toMatchObject({ ref: 'alps', kind: 'deleted' });
    const { key } = await world.client({ role: 'editor', tenant: 'tenant-1' });
    const other = await connect(overHttp(key));
    expect((await call(other, 'apply_changes', { proposal_id: value.proposal_id })).isError).toBe(true);
    const { key: weak } = await world.client({ role: 'viewer', tenant: 'tenant-1' });
    const viewer = await connect(overHttp(weak));
    expect((await call(viewer, 'search')).value.count).toBe(6);
    const refused = await call(viewer, 'propose_changes', { ids: ['alps'], set: { city: 'X' } });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('imgs:write') });
  });

  it('applies a proposal at another process than the one that answered it, once', async () => {
    const { value } = await call(client, 'propose_changes', { ids: ['alps'], set: { city: 'Chamonix' } });
    const other = await connect(overHttp(admin.key, elsewhere));
    const applied = await call(other, 'apply_changes', { proposal_id: value.proposal_id });
    expect(applied.value).toMatchObject({ numGood: 1 });
    expect((await call(client, 'get', { image_id: 'alps' })).value.city).toBe('Chamonix');
    const again = await call(client, 'apply_changes', { proposal_id: value.proposal_id });
    expect(again.value.id).toBe(applied.value.id);
  });

  it('keeps the ten newest proposals of a key, and none that has expired', async () => {
    const { database } = world.backing;
    const propose = async (city: string): Promise<string> =>
      (await call(client, 'propose_changes', { ids: ['alps'], set: { city } })).value.proposal_id;
    const first = await propose('0');
    for (let i = 1; i <= 10; i += 1) await propose(`${i}`);
    expect(await call(client, 'apply_changes', { proposal_id: first })).toMatchObject({ isError: true });
    const kept = await database.pool.query('SELECT count(*)::int AS count FROM mcp_proposal GROUP BY api_key_id');
    expect(Math.max(...kept.rows.map(({ count }) => count))).toBe(10);
    const last = await propose('11');
    await database.pool.query(`UPDATE mcp_proposal SET expires_at = now() WHERE id = $1`, [last]);
    expect(await call(client, 'apply_changes', { proposal_id: last })).toMatchObject({ isError: true });
    expect((await removeExpired(database))?.['mcp_proposal']).toBe(1);
  }, 60_000);

  it('shows nothing of other tenants', async () => {
    const stranger = await connect(overHttp((await world.client()).key));
    expect((await call(stranger, 'search')).value).toEqual({ count: 0, records: [] });
  });
});

describe('POST /mcp', () => {
  const headers = { Accept: 'application/json, text/event-stream' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('needs a key before it reads a body', async () => {
    await expect(connect(overHttp('vt_wrong'))).rejects.toThrow(/Invalid API key/);
    const reply = await fetch(`${world.url}/mcp`, { method: 'POST', body: '{'.repeat(50) });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'APIKey']);
  });

  it('keeps no session and opens no stream', async () => {
    const { status, body, headers: answered } = await admin.rest('POST', '/mcp', list, headers);
    expect(status).toBe(200);
    expect(body.result.tools).toHaveLength(10);
    expect(answered.get('mcp-session-id')).toBeNull();
    expect((await admin.rest('GET', '/mcp')).status).toBe(405);
  });

  it.each([
    ['no JSON', '{', 422],
    ['several messages', [list, list], 422],
    ['no message', { a: 1 }, 400],
    ['more values than a tool has time to check', { ...list, params: { a: Array(5_001).fill(1) } }, 413],
    ['too large a text', { ...list, params: { a: 'x'.repeat(2 ** 21) } }, 413],
  ])('refuses %s', async (_, body, status) => {
    expect((await admin.rest('POST', '/mcp', body, headers)).status).toBe(status);
  });
});

const run = promisify(execFile);
const inspector = ['--yes', '@modelcontextprotocol/inspector@latest', '--cli'];

it('answers the command line of the inspector, where it can be installed', full, async ({ skip }) => {
  const given = ['--transport', 'http', '--header', `API-Key: ${admin.key}`, '--method', 'tools/list'];
  const ran = run('npx', [...inspector, `${world.url}/mcp`, ...given], { cwd: folder, timeout: 240_000 });
  const { stdout } = await ran.catch((error: { stderr: string }) => {
    if (/npm error/.test(error.stderr)) skip('the inspector cannot be installed');
    throw error;
  });
  expect(JSON.parse(stdout).tools).toHaveLength(10);
});
