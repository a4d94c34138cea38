import process from 'node:process';
import type { Command } from 'commander';
import { endpointRules } from '../app/open-deliveries.ts';
import { SetupError } from '../lib/errors.ts';
import { isWebUrl } from '../lib/plain-url.ts';
import { operator } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import {
  addWebhook,
  createForwarder,
  listen,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
  webhookLimits,
} from '../webhooks/index.ts';
import type { ShownNotification, TenantWebhook } from '../webhooks/index.ts';
import { interruptible, readersGone } from './interrupt.ts';
import { formatDate, table, writeLine } from './output.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';
import { tenantDbOf } from './tenant-db.ts';
import { wholeFrom } from './values.ts';
import { printable } from './printable.ts';

type Options = Readonly<{ tenant: string; json?: boolean }>;
type Add = Options & Readonly<{ kind?: string[]; formula?: string[]; digest?: number }>;

/** `vitrine webhook`: manages where notifications of a tenant are sent. */
export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .alias('webhooks')
    .description('manage webhooks: add, list, enable, disable, remove, rotate, test, replay, listen');
  const add = (usage: string, description: string) =>
    webhook
      .command(usage)
      .description(description)
      .option('--tenant <name>', 'tenant of the webhooks', 'default')
      .option('--json', 'print JSON');
  const one = (usage: string, description: string) =>
    add(usage, description).argument('<id>', 'number of the webhook', wholeFrom(1));

  add('add', 'add a webhook; its secret is shown only once')
    .argument('<url>', 'an https or http URL, or mailto: with one address')
    .option('--kind <kinds...>', 'kinds of notifications; all by default')
    .option('--formula <names...>', 'formulas that watch; all by default')
    .option('--digest <minutes>', 'collect notifications for this many minutes, then send one message', wholeFrom(0))
    .action(addOne);
  add('list', 'list the webhooks, without their secrets').action(listAll);
  one('enable', 'enable a webhook that was disabled or switched off').action((id: number, options: Options) =>
    change(id, options, true),
  );
  one('disable', 'stop sending to a webhook for now').action((id: number, options: Options) =>
    change(id, options, false),
  );
  one('remove', 'remove a webhook with its messages').action(async (id: number, options: Options) => {
    const { url } = known(id, await withTenant(options, (db) => removeWebhook(db, id, operator)));
    writeLine({ id, url, removed: true }, { ...jsonOf(options), text: () => `Removed webhook ${id} (${url}).` });
  });
  one('rotate', 'replace the secret of a webhook; the new one is shown only once')
    .option('--overlap <seconds>', 'how long messages are also signed with the former secret', wholeFrom(0), 86_400)
    .action(async (id: number, options: Options & Readonly<{ overlap: number }>) => {
      const asked = { id, overlapSeconds: options.overlap };
      const { secret } = known(id, await withTenant(options, (db) => rotateWebhook(db, asked, operator)));
      const text = () => `${secret}\n\nMessages are also signed with the former secret for ${options.overlap} s.`;
      writeLine({ id, secret }, { ...jsonOf(options), text });
    });
  one('test', 'send a message of type webhook.test').action(async (id: number, options: Options) => {
    const { id: message } = known(id, await withTenant(options, (db) => testWebhook(db, id)));
    writeLine({ id, message }, { ...jsonOf(options), text: () => `Message ${message} will be sent.` });
  });
  one('replay', `send messages again that were given up, up to ${webhookLimits.replayed}`).action(
    async (id: number, options: Options) => {
      const asked = { id, messages: null };
      const { count: replayed } = known(id, await withTenant(options, (db) => replayWebhook(db, asked, operator)));
      writeLine({ id, replayed }, { ...jsonOf(options), text: () => `${replayed} messages will be sent again.` });
    },
  );
  add('listen', 'print notifications as they arrive, and forward them to your own receiver')
    .option('--forward-to <url>', 'where to send them, signed with a secret that is printed first')
    .action(listenTo);
}

function withTenant<T>({ tenant }: Options, work: (db: TenantDb, session: Session) => Promise<T>): Promise<T> {
  return withSession(async (session) => work(await tenantDbOf(session, tenant), session));
}

const jsonOf = ({ json }: Options) => ({ json });

function known<T>(id: number, found: T | null): T {
  if (found === null) throw new SetupError(`There is no webhook ${id}. To list webhooks: vitrine webhook list`);
  return found;
}

async function addOne(url: string, { kind, formula, digest, ...options }: Add): Promise<void> {
  const asked = { url, kinds: kind ?? [], formulas: formula ?? [], digestMinutes: digest };
  const { secret, endpoint } = await withTenant(options, (db, { config }) =>
    addWebhook(db, asked, endpointRules(config), operator),
  );
  const text = () => `${secret}\n\nWebhook ${endpoint.id} sends to ${url}. The secret is not shown again.`;
  writeLine({ ...endpoint, secret }, { ...jsonOf(options), text });
}

async function change(id: number, options: Options, isEnabled: boolean): Promise<void> {
  const { url } = known(
    id,
    await withTenant(options, (db, { config }) =>
      updateWebhook(db, id, { isEnabled }, endpointRules(config), operator),
    ),
  );
  const text = () => `Webhook ${id} (${url}) is ${isEnabled ? 'enabled' : 'disabled'}.`;
  writeLine({ id, url, isEnabled }, { ...jsonOf(options), text });
}

async function listAll(options: Options): Promise<void> {
  const { results } = await withTenant(options, (db) => listWebhooks(db, { page: 1, limit: webhookLimits.endpoints }));
  const rows = results.map((each) => [
    String(each.id),
    each.url,
    each.kinds.join(',') || 'all',
    stateOf(each),
    String(each.pending),
    String(each.dead),
    formatDate(each.lastDeliveredAt),
  ]);
  const headings = ['ID', 'URL', 'KINDS', 'STATE', 'PENDING', 'DEAD', 'LAST DELIVERED'];
  writeLine(results, { ...jsonOf(options), text: () => table(headings, rows) });
}

function stateOf({ isEnabled, switchedOffAt, consecutiveFailures }: TenantWebhook): string {
  if (!isEnabled) return switchedOffAt === null ? 'disabled' : 'switched off';
  return consecutiveFailures === 0 ? 'enabled' : `failing (${consecutiveFailures})`;
}

async function listenTo({ forwardTo, ...options }: Options & Readonly<{ forwardTo?: string }>): Promise<void> {
  if (forwardTo !== undefined && !isWebUrl(forwardTo))
    throw new SetupError('--forward-to takes an address such as http://127.0.0.1:3000/hook.');
  const forwarder = forwardTo === undefined ? null : createForwarder(forwardTo);
  if (forwarder !== null) process.stderr.write(`Messages are signed with ${forwarder.secret}\n`);
  await interruptible((signal) =>
    withTenant(options, async (db) => {
      process.stderr.write('Listening. Press Ctrl-C to stop.\n');
      for await (const message of listen(db, AbortSignal.any([signal, readersGone()]))) {
        const answer = forwarder === null ? null : await forwarder.forward(message);
        const outcome = answer === null ? '' : `  → ${answer.status ?? answer.error}`;
        process.stdout.write(`${options.json ? JSON.stringify(message) : printable(`${lineOf(message)}${outcome}`)}\n`);
      }
    }),
  );
}

function lineOf({ type, timestamp, data }: ShownNotification): string {
  return `${timestamp}  ${type}  ${Object.entries(data)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')}`;
}
