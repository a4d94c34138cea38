import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addNotifications } from '../../src/notifications/index.ts';
import type { NewNotification } from '../../src/notifications/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { createEmailSender, emailText } from '../../src/webhooks/email.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

type Mail = Readonly<{ from: string; to: readonly string[]; text: string }>;

let world: World;
let client: Client;
let db: TenantDb;
const mails: Mail[] = [];
let refusals = 0;
/** A real server, which refuses the first email. */
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo(_address, _session, callback) {
    if (refusals > 0) return callback(null);
    refusals += 1;
    callback(Object.assign(new Error('mailbox busy'), { responseCode: 450 }));
  },
  onData(stream, { envelope }, callback) {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address);
      mails.push({ from, to, text: Buffer.concat(parts).toString() });
      callback();
    });
  },
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  world = await openWorld({
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FROM: 'vitrine@example.com' },
  });
  client = await world.client({ tenant: 'mail' });
  const tenant = await world.backing.database.prisma.tenant.findUniqueOrThrow({ where: { name: 'mail' } });
  db = forTenant(world.backing.database, tenant.id);
});
afterAll(async () => {
  await world.close();
  await new Promise<void>((resolve) => server.close(resolve));
});

const matched = (ref: string): NewNotification => ({
  kind: 'record.matched',
  resource: 'image',
  ref,
  formula: 'Covers',
});

describe('email', () => {
  it('is given up when the server takes too long in all, however often it answers', async () => {
    const slow = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onMailFrom: (_address, _session, callback) => void setTimeout(callback, 400),
      onRcptTo: (_address, _session, callback) => void setTimeout(callback, 400),
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { port } = slow.server.address() as AddressInfo;
    const send = createEmailSender({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'v@example.com', totalMs: 600 });
    const body = JSON.stringify({ type: 'record.matched', timestamp: '2024-01-01T00:00:00Z', data: {} });
    const outcome = await send({ messageId: 'm', url: 'mailto:desk@example.com', body } as never);
    expect(outcome).toEqual({ isAccepted: false, status: null, error: 'not accepted within 0.6 s', retryAfter: 0 });
    await new Promise<void>((resolve) => slow.close(resolve));
  });

  it('has what came in digests, and is sent again under its id when the server refuses it', async () => {
    const added = await client.rest('POST', '/webhooks', { url: 'mailto:desk@example.com' });
    expect([added.status, added.body.webhook.digest_minutes]).toEqual([201, 15]);
    const { id } = added.body.webhook;
    await db.transaction((own) => addNotifications(db, own, [matched('boats'), matched('pier')]));
    const waiting = () => client.rest('GET', `/webhooks/${id}/messages?state=pending`);
    await vi.waitFor(async () => expect((await waiting()).body.results[0]).toMatchObject({ attempts: 1 }), 10_000);
    const [message] = (await waiting()).body.results;
    expect([message.last_status, message.type]).toEqual([450, 'digest']);
    await db.pool.query('UPDATE webhook_delivery SET next_at = now() WHERE webhook_id = $1', [id]);
    await vi.waitFor(() => expect(mails).toHaveLength(1), 10_000);
    const [{ from, to, text }] = mails as [Mail];
    expect([from, to]).toEqual(['vitrine@example.com', ['desk@example.com']]);
    expect(text).toContain('Subject: Vitrine: 2 notifications');
    expect(text).toMatch(/image boats matches Covers\r?\n.*image pier matches Covers/);
    expect(text.toLowerCase()).toContain(`webhook-id: ${message.id}`);
  });

  it.each(['mailto:a@example.com,b@example.com', 'mailto:a@example.com?bcc=b@example.com', 'mailto:', 'mailto:a b@c'])(
    'is not sent to %s',
    async (url) => {
      const { status, body } = await client.rest('POST', '/webhooks', { url });
      expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('one address')]);
    },
  );

  it('has a subject of one line whatever a record is called', () => {
    const { subject, text } = emailText({
      type: 'record.matched',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { resource: 'image', id: 'a\r\nBcc: x@example.com', formula: 'F' },
    });
    expect(subject).toBe('Vitrine: image a Bcc: x@example.com matches F');
    expect(text).toContain('matches F');
  });
});

it('a service without SMTP_URL takes no address for email, and none that is private', async () => {
  const plain = await openWorld({ worker: false });
  const admin = await plain.client();
  const refusal = async (url: string) => (await admin.rest('POST', '/webhooks', { url })).body;
  expect(JSON.stringify(await refusal('mailto:desk@example.com'))).toContain('sends no email');
  for (const url of ['http://127.0.0.1/x', 'http://[::1]/x', 'http://169.254.169.254/x', 'http://10.0.0.1/x'])
    expect(JSON.stringify(await refusal(url))).toContain('non-public address');
  for (const url of ['ftp://example.com/x', 'https://user:pass@example.com', 'nonsense'])
    expect((await admin.rest('POST', '/webhooks', { url })).status).toBe(422);
  await plain.close();
});

it('a name of a private address is refused when a message is sent', async () => {
  const { body } = await client.rest('POST', '/webhooks', {
    url: 'http://localhost:9/hook',
    kinds: ['duplicate.found'],
  });
  await client.rest('POST', `/webhooks/${body.webhook.id}/test`);
  await vi.waitFor(async () => {
    const { body: page } = await client.rest('GET', `/webhooks/${body.webhook.id}/messages?state=pending`);
    expect(page.results).toMatchObject([{ last_error: 'the address is not public', last_status: null }]);
  }, 10_000);
});
