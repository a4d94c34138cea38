import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let admin: Client;
let tenant: string;
/** Another tenant's. */
let stranger: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  admin = await world.client();
  tenant = (await admin.rest('GET', '/me')).body.tenant;
  stranger = await world.client();
  const picture = await world.picture('secret.png');
  for (const client of [admin, stranger]) {
    const id = client === admin ? 'secret' : 'theirs';
    await client.write('POST', '/imgs', [{ id, src_path: picture }]);
  }
});

const keyOf = (...scopes: Scope[]) => world.client({ tenant, scopes });
/** The answer to a caller, without the name that was asked for. */
async function answerTo(client: Client, path: string, name: string) {
  const { status, body } = await client.rest('GET', path.replace('NAME', name));
  return [
    status,
    JSON.stringify(body)
      .replaceAll(name, 'NAME')
      .replace(/"request_id":"[^"]*"/, ''),
  ];
}

describe('a key that may read videos but not images', () => {
  const paths = ['i=', 'i==', 'i===', 'i~', '-i=', 'title:x OR i='].map(
    (before) => `/vids?q=${encodeURIComponent(`${before}NAME`)}&count=true`,
  );
  it.each(paths)('gets the same answer about an image that exists and one that does not: %s', async (path) => {
    const client = await keyOf('vids:read');
    const missing = await answerTo(client, path, 'nobody');
    expect(await answerTo(client, path, 'secret')).toEqual(missing);
    expect(await answerTo(client, path, 'theirs')).toEqual(missing);
    expect(missing[0]).toBe(422);
    expect(missing[1]).toContain('imgs:read');
  });

  it('gets more about an image if it may read both kinds, and nothing about those of other tenants', async () => {
    const both = await keyOf('vids:read', 'imgs:read');
    const missing = await answerTo(both, '/vids?q=i=NAME', 'nobody');
    expect(missing[1]).toContain("No video or image 'NAME'");
    expect(await answerTo(both, '/vids?q=i=NAME', 'secret')).not.toEqual(missing);
    expect(await answerTo(both, '/vids?q=i=NAME', 'theirs')).toEqual(missing);
  });

  it('does not learn it by a formula that somebody saved', async () => {
    for (const name of ['secret', 'nobody']) {
      await admin.graphql(`mutation { saveFormula(name: "by-${name}", formula: "i=${name}") { name } }`);
    }
    const client = await keyOf('vids:read');
    const [there, missing] = [
      await answerTo(client, '/vids?q=saved:by-NAME', 'secret'),
      await answerTo(client, '/vids?q=saved:by-NAME', 'nobody'),
    ];
    expect(there).toEqual(missing);
  });
});

it('a key that may not search by query images gets the same answer about one that was sent and one that was not', async () => {
  const form = new FormData();
  form.set('image', new Blob([readFileSync(join(world.media, 'secret.png'))]), 'secret.png');
  const sent = await fetch(`${world.url}/query_imgs`, {
    method: 'POST',
    body: form,
    headers: { 'API-Key': admin.key },
  });
  const { hash } = (await sent.json()) as { hash: string };
  expect(hash).toMatch(/^qh_/);
  const client = await keyOf('imgs:read', 'vids:read');
  for (const list of ['imgs', 'vids']) {
    const missing = await answerTo(client, `/${list}?q=i=NAME`, `${hash.slice(0, -2)}zz`);
    expect(await answerTo(client, `/${list}?q=i=NAME`, hash)).toEqual(missing);
    expect(missing[0]).toBe(422);
    expect(missing[1]).toContain('imgs:query');
  }
});

it('no key learns of writes without the right to read operations', async () => {
  const client = await keyOf('imgs:read', 'vids:read');
  const { body } = await admin.rest('DELETE', '/imgs/none');
  const paths = [`/ops/${body.operation_id}`, '/ops/999999999'];
  const answers = await Promise.all(paths.map((path) => client.rest('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  expect(answers[0]?.body).toEqual(answers[1]?.body);
});
