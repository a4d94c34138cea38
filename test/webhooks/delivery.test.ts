import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDeliveries } from '../../src/app/open-deliveries.ts';
import { addNotifications } from '../../src/notifications/index.ts';
import type { NewNotification } from '../../src/notifications/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { removeExpired } from '../../src/operations/retention.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { pauseSeconds, retrySeconds, webhookLimits } from '../../src/webhooks/limits.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { openReceiver } from './receiver.ts';
import type { Answer, Received } from './receiver.ts';
import { full } from '../support/effort.ts';

let world: World;
let made = 0;
beforeAll(async () => {
  world = await openWorld({ sourceAllow: '127.0.0.0/8' });
});
afterAll(() => world.close());

type Receiver = Awaited<ReturnType<typeof openReceiver>>;
type Scene = Readonly<{ client: Client; db: TenantDb; receiver: Receiver; id: number; secret: string }>;

/** A tenant of its own with one webhook, and its receiver. */
async function open(options = '', answer?: Answer, headers?: Record<string, string>): Promise<Scene> {
  const name = `hooks-${(made += 1)}`;
  const client = await world.client({ tenant: name });
  const tenant = await world.backing.database.prisma.tenant.findUniqueOrThrow({ where: { name } });
  const db = forTenant(world.backing.database, tenant.id);
  const receiver = await openReceiver(answer, headers);
  await client.graphql('mutation { saveFormula(name: "Covers", formula: "city:Rome") { name } }');
  const { data, errors } = await client.graphql(
    `mutation { addWebhook(url: "${receiver.url}"${options}) { secret webhook { id } } }`,
  );
  expect(errors).toBeUndefined();
  return { client, db, receiver, id: Number(data.addWebhook.webhook.id), secret: data.addWebhook.secret };
}

const notify = (db: TenantDb, ...rows: NewNotification[]) =>
  db.transaction((client) => addNotifications(db, client, rows));
const matched = (ref: string, data = {}): NewNotification => ({
  kind: 'record.matched',
  resource: 'image',
  ref,
  formula: 'Covers',
  data,
});

async function webhook({ client, id }: Scene) {
  const fields = 'id isEnabled pending dead consecutiveFailures failingSince switchedOffAt lastDeliveredAt';
  return (await client.graphql(`{ webhook(id: ${id}) { ${fields} } }`)).data.webhook;
}

const until = (check: () => unknown, timeout = 10_000) => vi.waitFor(check, { timeout, interval: 20 });

/** Lets the next attempt be made now. */
const hurry = ({ db, id }: Scene) =>
  db.pool.query(
    `WITH d AS (UPDATE webhook_delivery SET next_at = now() WHERE webhook_id = $1)
     UPDATE webhook SET paused_until = NULL WHERE id = $1`,
    [id],
  );

const actions = async ({ client }: Scene) =>
  (await client.graphql('{ auditTrail { results { action subject } } }')).data.auditTrail.results.map(
    ({ action }: { action: string }) => action,
  );

describe('a message', () => {
  it('is signed as Standard Webhooks say, and has the notification', async () => {
    const { db, receiver, secret } = await open();
    await notify(db, matched('a', { distance: 3 }));
    await until(() => expect(receiver.received).toHaveLength(1));
    const [{ headers, body, json }] = receiver.received as [Received];
    expect(new Webhook(secret).verify(body, headers)).toEqual(json);
    expect(json).toEqual({
      type: 'record.matched',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { formula: 'Covers', resource: 'image', id: 'a', distance: 3 },
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Vitrine' });
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
    await receiver.close();
  });

  it('comes within a second of its commit, and most of the time at once', async () => {
    const { db, receiver } = await open();
    await notify(db, matched('first'));
    await until(() => expect(receiver.received).toHaveLength(1)); // The worker knows of the webhook.
    const waits: number[] = [];
    for (let k = 0; k < 20; k += 1) {
      await notify(db, matched(`r${k}`));
      const committed = performance.now();
      await until(() => expect(receiver.received).toHaveLength(k + 2));
      waits.push((receiver.received[k + 1] as Received).at - committed);
    }
    expect(waits.toSorted((a, b) => a - b)[10]).toBeLessThan(250);
    await receiver.close();
  });

  it('goes to many webhooks at once, and Node warns of nothing', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    const { client, db, receiver } = await open();
    const more = Array.from({ length: 30 }, (_, at) => `w${at}: addWebhook(url: "${receiver.url}/${at}") { secret }`);
    for (const some of [more.slice(0, 15), more.slice(15)]) await client.graphql(`mutation { ${some.join(' ')} }`);
    await notify(db, matched('a'));
    await until(() => expect(receiver.received).toHaveLength(31));
    process.off('warning', note);
    expect(warnings).toEqual([]);
    await receiver.close();
  });

  it('is only of the kinds and formulas that the webhook asks for', async () => {
    const scene = await open(', kinds: ["record.matched", "operation.finished"], formulas: ["Covers"]');
    const { db, receiver } = scene;
    await notify(
      db,
      { ...matched('other'), formula: 'Others' },
      { ...matched('gone'), kind: 'record.unmatched' },
      { kind: 'operation.finished', operationId: 7 },
      matched('mine'),
    );
    await until(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received.map(({ json }) => json.data.id ?? json.data.operation_id).toSorted()).toEqual([7, 'mine']);
    await until(async () => expect(await webhook(scene)).toMatchObject({ pending: 0, dead: 0 }));
    await receiver.close();
  });

  it('is still of a formula that is renamed, under its new name', async () => {
    const { client, db, receiver, id } = await open(', formulas: ["Covers"]');
    await client.graphql('mutation { renameSavedFormula(name: "Covers", to: "Front pages") { name } }');
    await notify(db, matched('other'), { ...matched('mine'), formula: 'Front pages' });
    await until(() => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]?.json.data).toMatchObject({ formula: 'Front pages', id: 'mine' });
    expect((await client.graphql(`{ webhook(id: ${id}) { formulas } }`)).data.webhook.formulas).toEqual([
      'Front pages',
    ]);
    await receiver.close();
  });

  it('is never for events of another tenant', async () => {
    const ours = await open();
    const theirs = await open();
    await notify(ours.db, matched('ours'));
    await notify(theirs.db, matched('theirs'));
    await until(() => expect([ours.receiver.received.length, theirs.receiver.received.length]).toEqual([1, 1]));
    expect(ours.receiver.received[0]?.json.data.id).toBe('ours');
    expect(theirs.receiver.received[0]?.json.data.id).toBe('theirs');
    expect((await theirs.client.graphql(`{ webhook(id: ${ours.id}) { url } }`)).data).toEqual({ webhook: null });
    const foreign = `mutation { removeWebhook(id: ${ours.id}) { id } updateWebhook(id: ${ours.id}, isEnabled: false) { id }
      rotateWebhookSecret(id: ${ours.id}) { secret } testWebhook(id: ${ours.id}) { id } replayWebhook(id: ${ours.id}) { count } }`;
    const { data } = await theirs.client.graphql(foreign);
    expect(Object.values(data)).toEqual([null, null, null, null, null]);
    expect(await webhook(ours)).toMatchObject({ isEnabled: true });
    await ours.receiver.close();
    await theirs.receiver.close();
  });

  it('is repeated under the same id until it is accepted, later each time', async () => {
    const scene = await open('', (_, count) => (count < 3 ? 500 : 200));
    await notify(scene.db, matched('a'));
    await until(() => expect(scene.receiver.received).toHaveLength(1));
    let wait = 0;
    await until(async () => {
      const { rows } = await scene.db.pool.query(
        'SELECT attempts, last_status, extract(epoch FROM next_at - now())::float8 AS wait FROM webhook_delivery WHERE webhook_id = $1',
        [scene.id],
      );
      expect(rows[0]).toMatchObject({ attempts: 1, last_status: 500 });
      wait = rows[0].wait;
    });
    expect(wait).toBeGreaterThan(2);
    await hurry(scene);
    await until(() => expect(scene.receiver.received).toHaveLength(2));
    await until(async () => expect(await webhook(scene)).toMatchObject({ consecutiveFailures: 2 }));
    await hurry(scene);
    await until(() => expect(scene.receiver.received).toHaveLength(3));
    expect(new Set(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await until(async () => expect(await webhook(scene)).toMatchObject({ pending: 0, consecutiveFailures: 0 }));
    await scene.receiver.close();
  });

  it('waits for the one before it of the same record, and for no other', full, async () => {
    let fails = true;
    const scene = await open('', ({ json }) => (fails && json.data.id === 'slow' ? 503 : 200), { 'Retry-After': '0' });
    const of = (ref: string, step: number) => matched(ref, { step });
    await notify(scene.db, of('slow', 1), of('slow', 2), of('quick', 1), of('quick', 2), of('slow', 3));
    const steps = (ref: string) =>
      scene.receiver.received.filter(({ json }) => json.data.id === ref).map(({ json }) => json.data.step);
    await until(() => expect(steps('quick')).toEqual([1, 2]));
    expect(new Set(steps('slow'))).toEqual(new Set([1]));
    fails = false;
    await hurry(scene);
    await until(() => expect(steps('slow').at(-1)).toBe(3));
    expect(steps('slow').filter((step) => step > 1)).toEqual([2, 3]);
    await scene.receiver.close();
  });

  it('is one of many that keep the order of their records', full, async () => {
    const scene = await open();
    for (let step = 0; step < 40; step += 1) {
      await notify(scene.db, ...['a', 'b', 'c', 'd', 'e'].map((ref) => matched(ref, { step })));
    }
    await until(() => expect(scene.receiver.received).toHaveLength(200), 30_000);
    for (const ref of ['a', 'b', 'c', 'd', 'e']) {
      const steps = scene.receiver.received
        .filter(({ json }) => json.data.id === ref)
        .map(({ json }) => json.data.step);
      expect(steps).toEqual(Array.from({ length: 40 }, (_, step) => step));
    }
    await scene.receiver.close();
  });
});

describe('a digest', () => {
  it('has what came since the one before, in one message', full, async () => {
    const scene = await open(', digestMinutes: 30');
    await notify(scene.db, matched('a'), matched('b'));
    await until(() => expect(scene.receiver.received).toHaveLength(1));
    await notify(scene.db, matched('c'));
    await notify(scene.db, matched('d'));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(scene.receiver.received).toHaveLength(1);
    await scene.db.pool.query('UPDATE webhook SET digest_at = now() WHERE id = $1', [scene.id]);
    await until(() => expect(scene.receiver.received).toHaveLength(2));
    const reported = scene.receiver.received.map(({ json }) =>
      json.data.notifications.map(({ data }: { data: { id: string } }) => data.id),
    );
    expect(reported).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(scene.receiver.received.map(({ json }) => json.type)).toEqual(['digest', 'digest']);
    await scene.receiver.close();
  });
});

describe('a message that is never accepted', () => {
  it('is given up after a day, listed, and sent again on request under its id', async () => {
    const scene = await open('', () => 500);
    const { client, db, id, receiver } = scene;
    await notify(db, matched('a'));
    await until(() => expect(receiver.received).toHaveLength(1));
    await db.pool.query('UPDATE webhook_delivery SET attempts = $2, claimed_by = NULL WHERE webhook_id = $1', [
      id,
      retrySeconds.length,
    ]);
    await hurry(scene);
    await until(async () => expect(await webhook(scene)).toMatchObject({ pending: 0, dead: 1 }));
    const list = `{ webhookMessages(id: ${id}) { count results { id type state attempts body lastStatus lastError } } }`;
    const { webhookMessages } = (await client.graphql(list)).data;
    expect(webhookMessages).toMatchObject({
      count: 1,
      results: [{ state: 'dead', lastStatus: 500, lastError: 'the receiver answered 500', type: 'record.matched' }],
    });
    const [{ id: messageId }] = webhookMessages.results;
    expect(messageId).toBe(receiver.received[0]?.headers['webhook-id']);
    receiver.answer(() => 200);
    const before = receiver.received.length;
    const replay = `mutation { replayWebhook(id: ${id}, messages: ["msg_nothing", "${messageId}"]) { count } }`;
    expect((await client.graphql(replay)).data).toEqual({ replayWebhook: { count: 1 } });
    await until(() => expect(receiver.received).toHaveLength(before + 1));
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(messageId);
    await until(async () => expect(await webhook(scene)).toMatchObject({ pending: 0, dead: 0 }));
    expect(await actions(scene)).toContain('webhook.replayed');
    await receiver.close();
  });

  it('has attempts over one day', () => {
    const seconds = retrySeconds.reduce((sum, each) => sum + each, 0);
    expect(seconds / 3600).toBeGreaterThan(22);
    expect(seconds / 3600).toBeLessThan(26);
  });

  it('is removed when it is old, or one of too many', async () => {
    const { db, id, receiver } = await open();
    await db.pool.query(
      `INSERT INTO webhook_delivery (tenant_id, webhook_id, subject, type, body, state, created_at)
       SELECT $1, $2, 's', 'x', '{}', 'dead', now() - CASE WHEN n < 10 THEN interval '40 days' ELSE interval '1 day' END
       FROM generate_series(1, $3::int) AS n`,
      [db.tenantId, id, webhookLimits.dead + 15],
    );
    expect(await removeExpired(world.backing.database)).toMatchObject({ webhook_delivery: 15 });
    await receiver.close();
  });
});

describe('a webhook', () => {
  it(
    'that fails for long is switched off with an entry in the audit trail, and goes on when it is enabled',
    full,
    async () => {
      const scene = await open('', () => 500);
      await notify(scene.db, matched('a'));
      await until(async () => expect(await webhook(scene)).toMatchObject({ consecutiveFailures: 1, isEnabled: true }));
      await scene.db.pool.query(`UPDATE webhook SET failing_since = now() - interval '49 hours' WHERE id = $1`, [
        scene.id,
      ]);
      await hurry(scene);
      await until(async () => expect(await webhook(scene)).toMatchObject({ isEnabled: false, pending: 1 }));
      expect((await webhook(scene)).switchedOffAt).not.toBeNull();
      expect(await actions(scene)).toContain('webhook.switched_off');
      scene.receiver.answer(() => 200);
      await notify(scene.db, matched('b'));
      const before = scene.receiver.received.length;
      await hurry(scene);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(scene.receiver.received).toHaveLength(before);
      const { data } = await scene.client.graphql(
        `mutation { updateWebhook(id: ${scene.id}, isEnabled: true) { isEnabled switchedOffAt consecutiveFailures } }`,
      );
      expect(data.updateWebhook).toEqual({ isEnabled: true, switchedOffAt: null, consecutiveFailures: 0 });
      await until(() => expect(scene.receiver.received).toHaveLength(before + 2));
      expect(scene.receiver.received.slice(before).map(({ json }) => json.data.id)).toEqual(['a', 'b']);
      await scene.receiver.close();
    },
  );

  it('that says it is gone is switched off at once', async () => {
    const scene = await open('', () => 410);
    await notify(scene.db, matched('a'));
    await until(async () => expect(await webhook(scene)).toMatchObject({ isEnabled: false }));
    await scene.receiver.close();
  });

  it('that fails several times in a row is left alone for a while', () => {
    expect([1, 2, 3, 4, 5, 20].map(pauseSeconds)).toEqual([0, 0, 5, 10, 20, 300]);
  });

  it('gets signatures of both secrets for a while after a rotation', async () => {
    const scene = await open();
    const rotate = async (seconds: number): Promise<string> =>
      (
        await scene.client.graphql(
          `mutation { rotateWebhookSecret(id: ${scene.id}, overlapSeconds: ${seconds}) { secret } }`,
        )
      ).data.rotateWebhookSecret.secret;
    const verifies = ({ body, headers }: Received, secret: string) => {
      try {
        new Webhook(secret).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    };
    const second = await rotate(60);
    await notify(scene.db, matched('a'));
    await until(() => expect(scene.receiver.received).toHaveLength(1));
    const third = await rotate(0);
    await notify(scene.db, matched('b'));
    await until(() => expect(scene.receiver.received).toHaveLength(2));
    const [first, last] = scene.receiver.received as [Received, Received];
    expect([scene.secret, second, third].map((secret) => verifies(first, secret))).toEqual([true, true, false]);
    expect([scene.secret, second, third].map((secret) => verifies(last, secret))).toEqual([false, false, true]);
    expect(await actions(scene)).toContain('webhook.rotated');
    await scene.receiver.close();
  });

  it('names formulas that are saved; one that was deleted since may stay', async () => {
    const { client, id, receiver } = await open(', formulas: ["Covers"]');
    const refused = await client.rest('POST', '/webhooks', { url: receiver.url, formulas: ['Covers', 'Covres'] });
    expect([refused.status, refused.body.detail]).toMatchObject([
      422,
      [
        {
          loc: ['body', 'formulas'],
          msg: "No formula is saved as 'Covres'",
          input: ['Covers', 'Covres'],
          ctx: { hint: 'Write the name as it was saved, or save the formula first' },
        },
      ],
    ]);
    const patch = (formulas: string[]) => client.rest('PATCH', `/webhooks/${id}`, { formulas });
    expect((await patch(['Covres'])).status).toBe(422);
    await client.graphql('mutation { deleteSavedFormula(name: "Covers") { name } }');
    expect((await patch(['Covers'])).status).toBe(200);
    expect((await client.rest('POST', '/webhooks', { url: receiver.url, formulas: ['Covers'] })).status).toBe(422);
    await receiver.close();
  });

  it('is sent a test on request', async () => {
    const { client, id, receiver } = await open();
    const { data } = await client.graphql(`mutation { testWebhook(id: ${id}) { id } }`);
    await until(() => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]?.json).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
    expect(receiver.received[0]?.headers['webhook-id']).toBe(data.testWebhook.id);
    await receiver.close();
  });

  it('that redirects is not followed', async () => {
    const scene = await open('', () => 302, { Location: 'http://127.0.0.1:9/' });
    await notify(scene.db, matched('a'));
    await until(async () => expect(await webhook(scene)).toMatchObject({ consecutiveFailures: 1 }));
    const { data } = await scene.client.graphql(
      `{ webhookMessages(id: ${scene.id}, state: pending) { results { lastStatus } } }`,
    );
    expect(data.webhookMessages.results).toEqual([{ lastStatus: 302 }]);
    await scene.receiver.close();
  });
});

describe('a worker that ends between sending and noting it', () => {
  it('leaves the message to another, which repeats it under the same id', full, async () => {
    const scene = await open('', () => 200);
    const { database } = world.backing;
    await notify(scene.db, matched('first'));
    await until(() => expect(scene.receiver.received).toHaveLength(1));
    // A worker of another process took the message, sent it, and was killed.
    const dead = randomUUID();
    const { rows } = await database.pool.query(
      `INSERT INTO webhook_delivery (tenant_id, webhook_id, subject, type, body, claimed_by, claimed_until)
       VALUES ($1, $2, 'image:b', 'record.matched', '{"type":"record.matched"}', $3, now() + interval '30 s')
       RETURNING message_id AS id`,
      [scene.db.tenantId, scene.id, dead],
    );
    await until(() => expect(scene.receiver.received).toHaveLength(2));
    expect(scene.receiver.received[1]?.headers['webhook-id']).toBe(`msg_${rows[0].id}`);
    await scene.receiver.close();
  });

  it('does not take what a live one is sending', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const scene = await open('', async () => held.then(() => 200));
    await notify(scene.db, matched('a'));
    await until(() => expect(scene.receiver.received).toHaveLength(1));
    const logger = createLogger('fatal');
    const config = { sourceAllow: ['127.0.0.0/8'], email: null };
    const other = openDeliveries({ config, database: world.backing.database, logger });
    await other.serve(scene.db.tenantId, randomUUID());
    await other.close();
    expect(scene.receiver.received).toHaveLength(1);
    release();
    await until(async () => expect(await webhook(scene)).toMatchObject({ pending: 0 }));
    expect(scene.receiver.received).toHaveLength(1);
    await scene.receiver.close();
  });
});
