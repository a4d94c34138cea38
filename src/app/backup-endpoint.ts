import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { requireScope } from '../graphql/index.ts';
import type { Context, Operator } from '../graphql/index.ts';
import type { FolderChoice } from '../backup/index.ts';
import { markStreamed } from '../http/connection/connections.ts';
import type { Exchange } from '../http/exchange.ts';
import { endReply, sendReply } from '../http/reply/send.ts';
import { AppError } from '../lib/errors.ts';
import { forTenant, recordAudit } from '../tenants/index.ts';
import type { AuditAction, Viewer } from '../tenants/index.ts';
import { identifyCaller, toRefusal } from './caller.ts';
import type { CallerDeps } from './caller.ts';

/**
 * `/backup`: streams the archive that `vitrine backup` writes. It contains all tenants, so only operators may request it.
 */
export function createBackupEndpoint(deps: CallerDeps): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    try {
      const viewer = await identifyCaller(exchange, deps.identify);
      const context = deps.createContext(viewer, exchange.requestId, exchange);
      requireScope(context, 'service:manage');
      const { operator } = context.services;
      if (operator === undefined) throw new AppError('not_implemented', 'This process does not make backups');
      await send(exchange, { operator, context, viewer });
    } catch (error) {
      if (exchange.outgoing.headersSent) throw error;
      await sendReply(exchange, toRefusal(deps.explain(error, exchange.requestId)));
    }
  };
}

type Caller = Readonly<{ operator: Operator; context: Context; viewer: Viewer }>;

async function send(exchange: Exchange, { operator, context, viewer }: Caller): Promise<void> {
  const choice = choiceOf(exchange.target);
  const lines = [...exchange.headers(), 'Content-Type', 'application/gzip', 'Cache-Control', 'no-store'];
  lines.push('Content-Disposition', `attachment; filename="vitrine-${new Date().toISOString().slice(0, 10)}.tar.gz"`);
  if (exchange.method === 'HEAD') return endReply(exchange, 200, lines, undefined);
  const note = (action: AuditAction, subject: string) =>
    recordAudit(
      forTenant(context.services.database, viewer.tenantId),
      { keyId: viewer.keyId, keyPrefix: viewer.keyPrefix, requestId: exchange.requestId, address: exchange.address },
      { action, subject },
    );
  let digest = '';
  const archive = await operator.backUp(choice, (made) => (digest = made));
  // Waits for the first piece, so that errors that prevent the start are found before anything is sent.
  const first = await archive.next();
  try {
    const folders = Object.entries(choice).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
    await note('backup.begun', ['database', 'data', ...folders].join(', '));
    const reply = exchange.startReply(200, lines);
    markStreamed(reply);
    const pieces = Readable.from(withFirst(first, archive), { objectMode: false });
    await pipeline(pieces, createGzip({ level: 3 }), reply, { signal: exchange.signal });
    await note('backup.completed', digest);
  } finally {
    await archive.return(undefined);
  }
}

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* rest;
}

/** `?media=true` includes media folders, `?uploads=false` excludes uploaded files. @throws AppError for other values. */
function choiceOf(target: string): FolderChoice {
  const parameters = new URL(target, 'http://localhost').searchParams;
  const read = (name: keyof FolderChoice, usual: boolean): boolean => {
    const text = parameters.get(name) ?? String(usual);
    if (text === 'true' || text === 'false') return text === 'true';
    throw new AppError('invalid_argument', `${name} must be true or false`, { argument: name });
  };
  return { media: read('media', false), uploads: read('uploads', true) };
}
