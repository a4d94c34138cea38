import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import generate from 'openapi-typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

const run = promisify(execFile);

/** What a client would write: nothing here but the generated types knows the service. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './vitrine.ts';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'API-Key': key } });
const body: components['schemas']['ImageCreate'] = { src_path: 'a.png', title: 'Teal', keywords: ['one', 'two'] };
const path = { image_id: 'teal' };

const created = await client.POST('/imgs/{image_id}', { params: { path, query: { wait: true, lang: 'en' } }, body });
if (created.data === undefined || !('num_good' in created.data)) throw new Error(JSON.stringify(created.error));
const numGood: number = created.data.num_good;

const read = await client.GET('/imgs/{image_id}', { params: { path, query: { fields: ['title', 'width', 'keywords'] } } });
const listed = await client.GET('/imgs', { params: { query: { limit: 5, count: true, sort_by: 'title' } } });
const operations = await client.GET('/ops/', { params: { query: { method: 'add' } } });
const removed = await client.DELETE('/imgs/{image_id}', { params: { path, query: { wait: true } } });
const gone = await client.GET('/imgs/{image_id}', { params: { path } });
const wrong = await client.POST('/imgs', { body: [] });

const count: number | null | undefined = listed.data?.count;
const titles: (string | null | undefined)[] | undefined = listed.data?.results.map((image) => image.title);
const fault: string | undefined = wrong.response.status === 422 && Array.isArray(wrong.error?.detail) ? wrong.error.detail[0]?.msg : undefined;
console.log(JSON.stringify({
  numGood, read: read.data, count, titles, fault,
  operations: operations.data?.map((operation) => operation.method),
  removed: removed.response.status,
  gone: [gone.response.status, gone.error?.detail],
}));
`;

const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];

/** Compiles a program beside the generated types. @throws what the compiler says. */
async function compile(folder: string, text: string): Promise<string> {
  writeFileSync(join(folder, 'program.mts'), text);
  const compiler = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const more = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions'];
  try {
    await run(process.execPath, [compiler, '--ignoreConfig', ...options, ...more, 'program.mts'], { cwd: folder });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
  return join(folder, 'program.mjs');
}

describe('a client generated from docs/openapi.json', () => {
  let world: SharedWorld;
  let folder: string;

  withWorld.beforeAll(async ({ enterWorld }) => {
    world = await enterWorld();
    // Below the package, where its modules are found, and where nothing is committed.
    mkdirSync(join(packageRoot, 'dist'), { recursive: true });
    folder = mkdtempSync(join(packageRoot, 'dist', 'client-'));
    const types = await generate(pathToFileURL(join(packageRoot, 'docs', 'openapi.json')));
    writeFileSync(join(folder, 'vitrine.ts'), types);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('compiles, and creates, reads, lists and deletes a picture', async () => {
    await world.picture('a.png');
    const { key } = await world.client();
    const { stdout } = await run(process.execPath, [await compile(folder, program), world.url, key]);
    expect(JSON.parse(stdout)).toEqual({
      numGood: 1,
      read: { title: 'Teal', width: 40, keywords: ['one', 'two'] },
      count: 1,
      titles: ['Teal'],
      fault: 'List should have at least 1 item after validation, not 0',
      operations: ['add'],
      removed: 200,
      gone: [404, 'Image not found'],
    });
  });

  it.each([
    ['a field that does not exist', "title: 'Teal'", "tittle: 'Teal'"],
    ['a value that is not of its list', "lang: 'en'", "lang: 'de'"],
    ['a path that does not exist', "GET('/imgs',", "GET('/images',"],
  ])('does not compile with %s', async (_, right, wrong) => {
    expect(program).toContain(right);
    await expect(compile(folder, program.replace(right, wrong))).rejects.toThrow(/error TS2\d{3}/);
  });
});
