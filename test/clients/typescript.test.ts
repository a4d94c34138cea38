import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { f, isCode, OperationFailed, Vitrine, VitrineError } from '../../clients/typescript/src/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const run = promisify(execFile);
const boats = join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg');
const picture = new File([readFileSync(boats)], 'boats.jpg', { type: 'image/jpeg' });

let world: World;
let client: Client;
let vitrine: Vitrine;

beforeAll(async () => {
  const imageAnalyzer = analyzerOf(['shape', 'colors', 'pdq', 'localFeatures']);
  world = await openWorld({ mediaRoots: [join(packageRoot, 'examples', 'pictures')], analyses: true, imageAnalyzer });
  client = await world.client();
  vitrine = new Vitrine({ url: `${world.url}/`, key: client.key });
  await client.write('POST', '/imgs?lang=en', readFileSync(join(packageRoot, 'examples', 'catalog.json'), 'utf8'));
});
afterAll(() => world.close());

/** A client whose requests pass through a server that may answer in place of the service. */
async function through(
  answer: (count: number) => { status: number; headers?: Record<string, string> } | 'cut' | 'half' | null,
) {
  let count = 0;
  const seen: { method: string; path: string; key: string | undefined }[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    const own = answer((count += 1));
    const { method = '', url: path = '', headers } = incoming;
    seen.push({ method, path, key: headers['idempotency-key'] as string | undefined });
    if (own === 'cut') return void incoming.socket.destroy();
    if (own === 'half') {
      outgoing.writeHead(200, { 'Content-Length': '100' }).write('{"client_name":');
      return void setTimeout(() => incoming.socket.destroy(), 50);
    }
    if (own !== null) return void outgoing.writeHead(own.status, own.headers).end('{"detail":"later"}');
    const onward = request(world.url + path, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const breakConnections = () => server.closeAllConnections();
  const close = () => {
    breakConnections();
    server.close();
  };
  return { vitrine: new Vitrine({ url, key: client.key }), seen, breakConnections, close };
}

describe('searching', () => {
  it('answers everything that a formula finds, page after page', async () => {
    const titles: string[] = [];
    const search = vitrine.images.search(f.lt('date', '1920'), {
      fields: ['title', 'date'],
      sort: 'date',
      order: 'asc',
      pageSize: 1,
    });
    for await (const { title, date } of search) titles.push(`${date} ${title}`);
    expect(titles).toEqual([
      '1865 Alpine landscape',
      '1865 Boats in a river, Nagasaki',
      '1887 Animal locomotion: a house cat',
      '1914 Airplane from above',
    ]);
  });

  it('counts, and answers the facets with the first page', async () => {
    expect(await vitrine.images.count(f.eq('country', 'Japan'))).toBe(1);
    const facets = [];
    for await (const page of vitrine.images.pages('', { pageSize: 4, facets: ['country'] })) facets.push(page.facets);
    expect(facets).toEqual([{ country: expect.arrayContaining([{ value: 'Japan', count: 1 }]) }, {}]);
  });

  it('stops where the reader stops', async () => {
    for await (const { image_id: id } of vitrine.images.search('nagasaki')) {
      expect(id).toBe('nagasaki');
      break;
    }
  });

  it('explains a formula, and says where one is wrong', async () => {
    expect(await vitrine.explain(f.words('house'))).toMatchObject({ count: 3 });
    const error = await vitrine.images.count('contry:es').catch((thrown: unknown) => thrown);
    expect(isCode(error, 'invalid_formula')).toBe(true);
    expect(error).toMatchObject({
      status: 422,
      hint: 'Did you mean country?',
      formula: { code: 'unknown_field', position: 0, length: 6 },
    });
  });

  it('finds copies of a picture', async () => {
    await vitrine.images.create({ id: 'copy', src_path: 'nagasaki-boats.jpg' }, { wait: true });
    const { hash } = await vitrine.queryImage(picture);
    const found = [];
    for await (const { image_id: id } of vitrine.images.search(
      f.and(f.copyOf(hash, { tier: 'exact' }), f.eq('country', 'Japan')),
    ))
      found.push(id);
    expect(found).toEqual(['nagasaki']);
    await vitrine.images.delete('copy', { wait: true });
  });
});

describe('writing', () => {
  it('creates, changes, undoes and deletes, one record and many', async () => {
    const { src_path } = await vitrine.uploads.send(picture);
    const created = await vitrine.images.create([
      { id: 'one', src_path, title: 'One' },
      { id: 'a/b', src_path, title: 'Two' },
    ]);
    expect(await created.wait()).toMatchObject({ num_good: 2, is_finished: true });
    const patched = await vitrine.images.patch({ id: 'a/b', city: 'Nagasaki' }, { wait: true });
    expect(patched.operation).toMatchObject({ num_good: 1 });
    expect(await vitrine.images.get('a/b', { fields: ['title', 'city'] })).toEqual({ title: 'Two', city: 'Nagasaki' });
    await (await patched.undo()).wait();
    expect(await vitrine.images.get('a/b', { fields: ['city'] })).toEqual({ city: null });
    await (await vitrine.images.patchWhere(f.eq('title', 'One'), { keywords: { add: ['boat'] } as never })).wait();
    expect((await vitrine.images.history('one')).count).toBeGreaterThanOrEqual(2);
    expect((await (await vitrine.images.delete(['one', 'a/b'])).wait()).num_good).toBe(2);
    await expect(vitrine.images.get('one')).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  it('says which elements failed', async () => {
    const write = await vitrine.images.patch([
      { id: 'alps', city: 'Chamonix' },
      { id: 'nowhere', city: 'X' },
    ]);
    const error = await write.wait().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperationFailed);
    expect((error as OperationFailed).errors).toMatchObject([{ ref: 'nowhere', code: 'not_found' }]);
    expect(await vitrine.operations.wait(write.id, { allowFailures: true })).toMatchObject({ num_good: 1, num_bad: 1 });
  });

  it('writes once what is sent twice with one key', async () => {
    const options = { idempotencyKey: 'once', wait: true };
    const first = await vitrine.images.patch({ id: 'alps', event: 'X' }, options);
    expect((await vitrine.images.patch({ id: 'alps', event: 'X' }, options)).id).toBe(first.id);
    const other = vitrine.images.patch({ id: 'alps', event: 'Y' }, options);
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('answers data and errors of GraphQL', async () => {
    const data = await vitrine.graphql<{ image: { title: string } }>('query ($id: ID!) { image(id: $id) { title } }', {
      id: 'alps',
    });
    expect(data.image.title).toBe('Alpine landscape');
    const wrong = vitrine.graphql('{ images(q: "contry:es") { count } }');
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_formula' });
  });

  it('tags a picture without storing it', async () => {
    expect(await vitrine.tag(picture, { colors: true })).toMatchObject({ colors: expect.any(Array), caption: null });
  });
});

describe('failing', () => {
  it('names a wrong key and what a key may not do', async () => {
    const wrong = new Vitrine({ url: world.url, key: 'vt_wrong' });
    await expect(wrong.me()).rejects.toMatchObject({ code: 'invalid_key', status: 401 });
    const { key } = await world.client({ role: 'viewer', tenant: 'tenant-1' });
    const viewer = new Vitrine({ url: world.url, key });
    const write = viewer.images.patch({ id: 'alps', city: 'X' });
    await expect(write).rejects.toMatchObject({ code: 'forbidden', details: { required_scope: 'imgs:write' } });
  });

  it('sends a write again with its key when the connection breaks', async () => {
    const proxy = await through((count) => (count === 1 ? 'cut' : null));
    await proxy.vitrine.images.patch({ id: 'alps', event: 'Again' }, { wait: true });
    expect(proxy.seen.map(({ method }) => method)).toEqual(['PATCH', 'PATCH']);
    expect(proxy.seen[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(proxy.seen[1]?.key).toBe(proxy.seen[0]?.key);
    proxy.close();
  });

  it('reads again what broke in the middle of its reply, and writes again only with a key', async () => {
    const proxy = await through((count) => (count === 2 ? null : 'half'));
    expect(await proxy.vitrine.me()).toEqual(await vitrine.me());
    const mutation = proxy.vitrine.graphql('mutation { deleteSavedFormula(name: "none") { name } }');
    await expect(mutation).rejects.toMatchObject({ code: 'connection_failed', status: 0 });
    expect(proxy.seen.map(({ path }) => path)).toEqual(['/me', '/me', '/graphql']);
    proxy.close();
  });

  it('waits as long as the service asks, and no longer than a bound', async () => {
    const proxy = await through((count) =>
      count === 1
        ? { status: 503, headers: { 'Retry-After': '1' } }
        : count === 3
          ? { status: 429, headers: { 'Retry-After': '3600' } }
          : null,
    );
    const start = performance.now();
    await proxy.vitrine.me();
    expect(performance.now() - start).toBeGreaterThan(990);
    await expect(proxy.vitrine.me()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
    expect(proxy.seen).toHaveLength(3);
    proxy.close();
  });

  it('gives up when the service stays unreachable, and at once when asked to', async () => {
    const nobody = new Vitrine({ url: 'http://127.0.0.1:1', key: 'x', retries: 1 });
    await expect(nobody.me()).rejects.toMatchObject({ code: 'connection_failed', status: 0 });
    const patient = new Vitrine({ url: 'http://127.0.0.1:1', key: 'x', retries: 50 });
    await expect(patient.me({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('goes on following where a stream broke', async () => {
    const operation = await vitrine.images.patch({ id: 'alps', event: 'Followed' }, { wait: true });
    const proxy = await through((count) => (count === 1 ? 'cut' : null));
    const types: string[] = [];
    for await (const { type } of proxy.vitrine.operations.follow(operation.id)) types.push(type);
    expect([types[0], types.at(-1)]).toEqual(['queued', 'finished']);
    await expect(vitrine.operations.wait(999_999)).rejects.toBeInstanceOf(VitrineError);
    proxy.close();
  });

  it('sends what is missing of an upload whose connection broke', async () => {
    const proxy = await through((count) => (count === 4 ? 'cut' : null));
    const progress: number[] = [];
    const file = await proxy.vitrine.uploads.send(picture, {
      pieceSize: 30_000,
      onProgress: ({ sent }) => progress.push(sent),
    });
    expect(progress).toContain(30_000);
    expect(proxy.seen.filter(({ method }) => method === 'HEAD')).toHaveLength(2);
    expect(await vitrine.uploads.send(picture, { resume: new URL(file.address, 'http://x').pathname })).toMatchObject({
      src_path: file.src_path,
    });
    proxy.close();
  });
});

describe('an upload', () => {
  it('is not resumed with a file of another size', async () => {
    const interrupt = new AbortController();
    let resume = '';
    const sending = vitrine.uploads.send(picture, {
      pieceSize: 10_000,
      signal: interrupt.signal,
      onProgress({ sent, address }) {
        resume = address;
        if (sent > 0) interrupt.abort();
      },
    });
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
    const shorter = vitrine.uploads.send(picture.slice(0, 20_000), { resume });
    await expect(shorter).rejects.toMatchObject({ code: 'upload_conflict' });
  });
});

describe('a formula that watches', () => {
  const waiting = { signal: AbortSignal.timeout(60_000) };

  it('reports what begins and ceases to match, and is forgotten', async () => {
    const saved = await vitrine.formulas.save('Events of mine', f.eq('event', 'Mine'), { watching: true });
    expect(saved).toMatchObject({ name: 'Events of mine', watching: true });
    const events = vitrine.formulas.follow('Events of mine', { after: 0, ...waiting });
    const write = await vitrine.images.patch({ id: 'alps', event: 'Mine' }, { wait: true });
    const { value: first } = await events.next();
    expect(first).toMatchObject({ kind: 'matched', resource: 'image', id: 'alps', deleted: false });
    await (await write.undo()).wait();
    expect((await events.next()).value).toMatchObject({ kind: 'unmatched', id: 'alps' });
    await events.return();
    expect(await vitrine.formulas.delete('Events of mine')).toMatchObject({ name: 'Events of mine' });
    expect(await vitrine.formulas.delete('Events of mine')).toBeNull();
    const gone = vitrine.formulas.follow('Events of mine', waiting).next();
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is followed on where a stream broke, with no event left out or repeated', async () => {
    await vitrine.formulas.save('Broken streams', f.eq('event', 'Stream'), { watching: true });
    const proxy = await through((count) => (count === 1 ? 'cut' : null));
    const events = proxy.vitrine.formulas.follow('Broken streams', { after: 0, ...waiting });
    const seen: string[] = [];
    for (const event of ['Stream', 'None', 'Stream']) {
      await vitrine.images.patch({ id: 'alps', event }, { wait: true });
      seen.push((await events.next()).value?.kind ?? 'none');
      proxy.breakConnections();
    }
    expect(seen).toEqual(['matched', 'unmatched', 'matched']);
    expect(proxy.seen.length).toBeGreaterThan(3);
    await events.return();
    proxy.close();
    await vitrine.formulas.delete('Broken streams');
  });

  it('is followed until the key is revoked, which is an error of the key', async () => {
    await vitrine.formulas.save('Revoked', f.eq('event', 'Revoked'), { watching: true });
    const { data } = await client.graphql(
      'mutation { createApiKey(name: "short", role: viewer) { secret key { id } } }',
    );
    const { secret, key } = data.createApiKey;
    const events = new Vitrine({ url: world.url, key: secret }).formulas.follow('Revoked', { after: 0, ...waiting });
    await vitrine.images.patch({ id: 'alps', event: 'Revoked' }, { wait: true });
    expect((await events.next()).value).toMatchObject({ kind: 'matched' });
    const next = events.next().catch((error: unknown) => error);
    await client.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: key.id });
    expect(await next).toMatchObject({ code: 'invalid_key', status: 401 });
  });
});

describe('exporting', () => {
  it('answers the file of what a formula finds', async () => {
    const options = { format: 'csv', fields: ['title', 'country'] } as const;
    const file = await vitrine.images.export(f.eq('country', 'Japan'), options);
    expect(await file.text()).toBe('id,title,country\r\nnagasaki,"Boats in a river, Nagasaki",Japan\r\n');
  });

  it('gives the key to no address of a file', async () => {
    const sent: [string, boolean][] = [];
    const own: typeof fetch = (address, options) => {
      sent.push([new URL(String(address)).pathname, new Headers(options?.headers).has('API-Key')]);
      return fetch(address, options);
    };
    const watched = new Vitrine({ url: world.url, key: client.key, fetch: own });
    await watched.images.export(f.eq('country', 'Japan'), { format: 'ndjson', wait: true });
    expect(sent.filter(([path]) => path.startsWith('/downloads/'))).toEqual([[expect.any(String), false]]);
    expect(sent.filter(([path]) => !path.startsWith('/downloads/')).every(([, hasKey]) => hasKey)).toBe(true);
  });
});

describe('the example of a whole day', () => {
  it('runs in forty lines', async () => {
    const program = join(packageRoot, 'clients', 'typescript', 'examples', 'whole-day.js');
    expect(readFileSync(program, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(40);
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-day-'));
    const environment = { PATH: process.env['PATH'], VITRINE_URL: world.url, VITRINE_KEY: client.key };
    const { stdout } = await run(process.execPath, [program, boats], { cwd: folder, env: environment });
    expect(stdout).toMatch(
      /Signed in as .*\nUploaded 1 files\n(?:.*\n)*Told of day:nagasaki-boats.jpg\nChanged 1 records\nTaken back: 0 are in Spain\nFound nagasaki-boats.jpg\nExported/,
    );
    expect(readFileSync(join(folder, 'day.csv'), 'utf8')).toContain(
      'day:nagasaki-boats.jpg,nagasaki-boats.jpg,720,576',
    );
    rmSync(folder, { recursive: true });
  });
});
