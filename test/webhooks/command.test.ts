import { Webhook } from 'standardwebhooks';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { createLogger } from '../../src/observability/logger.ts';
import { openDatabase } from '../../src/backing/index.ts';
import { addNotifications } from '../../src/notifications/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { cleanUp, run } from '../support/program.ts';
import { openReceiver } from './receiver.ts';
import type { Received } from './receiver.ts';
import { full } from '../support/effort.ts';

const clone = await cloneDatabase(inject('postgresUrl'));
afterAll(async () => {
  cleanUp();
  await clone.drop();
});

const environment = { DATABASE_URL: clone.url, ADMIN_API_KEY: 'a-key-of-the-operator-0001' };

async function json(...args: string[]) {
  const { code, output, results } = await command([...args, '--json'], environment);
  expect([code, output]).toEqual([0, expect.any(String)]);
  return JSON.parse(results);
}

it(
  'vitrine webhook manages webhooks, and listens to notifications for a receiver that verifies them',
  full,
  async () => {
    const added = await json('webhook', 'add', 'https://example.com/hook', '--kind', 'record.matched');
    expect(added).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      kinds: ['record.matched'],
      isEnabled: true,
    });
    const id = String(added.id);
    expect((await json('webhook', 'disable', id)).isEnabled).toBe(false);
    const [listed] = await json('webhook', 'list');
    expect([listed.url, listed.isEnabled, JSON.stringify(listed).includes('whsec_')]).toEqual([
      'https://example.com/hook',
      false,
      false,
    ]);
    expect(await json('webhook', 'remove', id)).toMatchObject({ removed: true });

    const receiver = await openReceiver();
    const listening = run(['webhook', 'listen', '--forward-to', receiver.url], environment);
    await vi.waitFor(() => expect(listening.output()).toContain('Listening.'), 30_000);
    const database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
    const { id: tenantId } = await database.prisma.tenant.findFirstOrThrow();
    const db = forTenant(database, tenantId);
    await vi.waitFor(async () => {
      await db.transaction((client) => addNotifications(db, client, [{ kind: 'operation.finished', operationId: 7 }]));
      expect(receiver.received.length).toBeGreaterThan(0);
    }, 20_000);
    const [{ headers, body }] = receiver.received as [Received];
    const secret = /whsec_\S+/.exec(listening.output())?.[0] ?? '';
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: 'operation.finished',
      data: { operation_id: 7 },
    });
    await vi.waitFor(() => expect(listening.output()).toMatch(/operation\.finished {2}operation_id=7 {2}→ 204/), 5000);
    listening.child.kill('SIGINT');
    expect(await listening.ended).toBe(0);
    await database.close();
    await receiver.close();
  },
);
