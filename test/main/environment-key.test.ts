import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import type { Run } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';
import { full } from '../support/effort.ts';

const key = 'pass-phrase-of-the-desk';
let clone: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
});
afterAll(() => clone.drop());

const environment = (secret: string) => ({
  DATABASE_URL: clone.url,
  DATA_DIR: newFolder(),
  ADMIN_API_KEY: secret,
  AI_ANALYSIS: 'off',
});

/** Runs the service with a value of ADMIN_API_KEY until `work` is done; answers what it logged. */
async function serving(secret: string, work: (client: Client, service: Run & { url: string }) => Promise<void>) {
  const service = await start(environment(secret));
  await work(createClient(service.url, secret), service);
  expect(await stop(service)).toBe(0);
  return service.output();
}

const statusOf = async (url: string, secret: string) => (await createClient(url, secret).rest('GET', '/me')).status;
const keysOf = async (client: Client) =>
  (await client.graphql('{ apiKeys { results { id name prefix isValid } } }')).data.apiKeys.results;

it(
  'the key of the environment outlives attempts to rotate it, lasts as long as its value, and may share its name',
  full,
  async () => {
    let other = '';
    await serving(key, async (client) => {
      const [own] = await keysOf(client);
      for (const overlap of [0, 60]) {
        const rotate = `mutation { rotateApiKey(id: "${own.id}", overlapSeconds: ${overlap}) { secret } }`;
        const { errors } = await client.graphql(rotate);
        expect(errors).toMatchObject([
          {
            message: expect.stringContaining('change that variable and restart'),
            extensions: { code: 'invalid_argument' },
          },
        ]);
      }
      const made = await client.graphql('mutation { createApiKey(name: "ADMIN_API_KEY", role: admin) { secret } }');
      other = made.data.createApiKey.secret;
      const rotating = run(['key', 'rotate', own.id], environment(key));
      expect(await rotating.ended).toBe(1);
      expect(rotating.output()).toContain('is the value of ADMIN_API_KEY: change that variable');
    });
    // A new value replaces the key that an earlier one made, and the earlier one does the same when it comes back.
    await serving('another-value-0001', async (client, { url }) => {
      expect((await client.rest('GET', '/me')).status).toBe(200);
      expect(await statusOf(url, key)).toBe(401);
    });
    await serving(key, async (client, { url }) => {
      expect((await client.rest('GET', '/me')).status).toBe(200);
      expect(await statusOf(url, 'another-value-0001')).toBe(401);
      expect(await statusOf(url, other)).toBe(200);
    });
  },
);

it('a command with another value leaves the key of the service alone', full, async () => {
  await serving(key, async (client) => {
    for (const args of [['tenant', 'list'], ['explain', 'cat'], ['follow']]) {
      const command = run(args, environment('what-this-shell-has'));
      expect([args, await command.ended]).toEqual([args, 0]);
    }
    expect((await client.rest('GET', '/me')).status).toBe(200);
    expect(
      (await keysOf(client)).filter(({ isValid, prefix }: any) => isValid && prefix.startsWith('env_')),
    ).toHaveLength(1);
  });
});

it(
  'a value that a person revoked does not come back by a restart: the start says so and what to do',
  full,
  async () => {
    await serving('a-value-to-revoke-01', async (client) => {
      const [own] = (await keysOf(client)).filter(({ isValid, prefix }: any) => isValid && prefix.startsWith('env_'));
      await client.graphql(`mutation { revokeApiKey(id: "${own.id}") { id } }`);
      // In effect in every process within a second, as its notification may be late.
      await expect.poll(async () => (await client.rest('GET', '/me')).status).toBe(401);
    });
    const refused = run(['serve'], { PORT: '0', ...environment('a-value-to-revoke-01') });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(/ADMIN_API_KEY is the secret of key \d+ .* was revoked\.\n.*another value/);
  },
);

it('a key of another tenant, or one that may do less, cannot become the key of the environment', full, async () => {
  let viewer = '';
  await serving(key, async (client) => {
    viewer = (await client.graphql('mutation { createApiKey(name: "v", role: viewer) { secret } }')).data.createApiKey
      .secret;
  });
  const refused = run(['serve'], { PORT: '0', ...environment(viewer) });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('is not an admin key of the first tenant without an expiry');
  expect(refused.output()).not.toContain(viewer.slice(11));
});

it(
  'no character of the key that was chosen stands in lists, verdicts, the trail, the command line or the log',
  full,
  async () => {
    const replies: unknown[] = [];
    const log = await serving(key, async (client, { url }) => {
      await client.rest('POST', '/imgs', [{ id: 'a', src: 'http://127.0.0.1:9/a.jpg' }]);
      await client.rest('POST', '/verdicts', { first_id: 'a', second_id: 'b', verdict: 'same' });
      await client.rest('DELETE', '/imgs/a');
      await client.graphql('{ nonsense }');
      replies.push(
        await keysOf(client),
        (await client.rest('GET', '/verdicts')).body,
        (await client.rest('GET', '/me')).body,
      );
      const trail = '{ auditTrail(limit: 1000) { results { action subject keyPrefix } } }';
      replies.push(await client.graphql(trail));
      replies.push(await (await fetch(`${url}/metrics`, { headers: { 'API-Key': key } })).text());
      for (const command of ['key list', 'audit --tenant default', 'tenant list']) {
        const shown = run(command.split(' '), environment(key));
        expect(await shown.ended).toBe(0);
        replies.push(shown.output());
      }
    });
    const text = JSON.stringify([...replies, log]);
    expect(text).toContain('env_');
    expect(text).not.toContain(key.slice(0, 6));
  },
);
