import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { MemoryLocker, Server } from '@tus/server';
import { admitCall, requireScope } from '../graphql/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendReply } from '../http/reply/send.ts';
import { pathOf } from '../http/request/routes.ts';
import { AppError } from '../lib/errors.ts';
import type { Reply } from '../lib/http-contract.ts';
import { forTenant } from '../tenants/index.ts';
import { uploadLimits } from '../uploads/index.ts';
import type { Uploads } from '../uploads/index.ts';
import { identifyCaller, toRefusal } from './caller.ts';
import type { CallerDeps } from './caller.ts';
import { noSuchUpload, TusStore } from './tus-store.ts';
import { uploadMethods, uploadsPath } from './upload-paths.ts';

export type UploadDeps = CallerDeps &
  Readonly<{
    uploads: Uploads | undefined;
    /** Answers what is not of the protocol. */
    toApis(exchange: Exchange): Promise<void> | void;
  }>;

/** About six pieces are on their way through the protocol's server at a time: `unstoredBytes` has room for them. */
const largePieceBytes = 2 ** 19;

/** What every answer of the protocol says, and what a client asks for by OPTIONS. */
const protocol = { 'Tus-Resumable': '1.0.0' };
const abilities = {
  ...protocol,
  'Tus-Version': '1.0.0',
  'Tus-Extension': 'creation,creation-with-upload,termination,expiration',
  'Tus-Max-Size': String(uploadLimits.bytes),
};

/** Answers /uploads: the protocol tus 1.0, where a request names it, else the API's `POST /uploads`. */
export function createUploadEndpoint(deps: UploadDeps): (exchange: Exchange) => Promise<void> {
  const locker = new MemoryLocker();

  async function answer(exchange: Exchange): Promise<Reply> {
    const { uploads } = deps;
    const viewer = await identifyCaller(exchange, deps.identify);
    const context = deps.createContext(viewer, exchange.requestId, exchange);
    requireScope(context, 'uploads:write');
    if (uploads === undefined) throw new AppError('not_implemented', 'This process takes no uploads');
    const isFolder = isRoot(exchange);
    if (isFolder !== (exchange.method === 'POST')) throw noSuchUpload();
    if (isFolder) await admitCall(context, viewer, 'write');
    const store = new TusStore(
      uploads,
      forTenant(context.services.database, viewer.tenantId),
      exchange.header('content-type') !== undefined,
    );
    return speak(exchange, store, locker);
  }

  return async (exchange) => {
    const { method } = exchange;
    if (method === 'OPTIONS') {
      return sendReply(exchange, { status: 204, headers: { ...abilities, Allow: uploadMethods.join(', ') } });
    }
    if (method === 'POST' && isRoot(exchange) && exchange.header('tus-resumable') === undefined) {
      return deps.toApis(exchange);
    }
    exchange.route = isRoot(exchange) ? '/uploads' : '/uploads/{upload_id}';
    const reply = await answer(exchange).catch((error: unknown) => toRefusal(deps.explain(error, exchange.requestId)));
    return sendReply(exchange, { ...reply, headers: { ...protocol, ...reply.headers } });
  };
}

function isRoot(exchange: Exchange): boolean {
  return pathOf(exchange.target) === uploadsPath.slice(0, -1);
}

/** Lets the protocol's server answer. @throws what the store throws. */
async function speak(exchange: Exchange, store: TusStore, locker: MemoryLocker): Promise<Reply> {
  let failure: unknown = null;
  const server = new Server({
    path: uploadsPath.slice(0, -1),
    datastore: store,
    locker,
    relativeLocation: true,
    disableTerminationForFinishedUploads: true,
    getFileIdFromRequest: (_request, last) =>
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(last ?? '') ? last : undefined,
    async onUploadFinish(_request, upload) {
      await store.finish(upload.id);
      return {};
    },
    onResponseError(_request, error) {
      failure = error;
      return undefined;
    },
  });
  const response = await server.handleWeb(toRequest(exchange));
  if (failure instanceof Error) throw failure;
  return toReply(response, await response.text(), store);
}

/** Each step of the protocol's server costs so much for a piece, however small; of a stream that breaks off all that it gave. */
async function* inLargePieces(stream: Readable): AsyncGenerator<Buffer> {
  let [held, heldBytes]: [Buffer[], number] = [[], 0];
  const give = () => {
    const piece = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held, heldBytes);
    [held, heldBytes] = [[], 0];
    return piece;
  };
  let fault: unknown = null;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      held.push(piece);
      heldBytes += piece.length;
      if (heldBytes >= largePieceBytes) yield give();
    }
  } catch (error) {
    fault = error;
  }
  if (heldBytes > 0) yield give();
  if (fault !== null) throw fault;
}

function toRequest(exchange: Exchange): Request {
  const { method, target, incoming } = exchange;
  const headers = new Headers();
  for (const name of [
    'content-type',
    'upload-length',
    'upload-offset',
    'upload-metadata',
    'upload-defer-length',
    'upload-concat',
    'tus-resumable',
  ]) {
    const value = exchange.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const length = incoming.headers['content-length'];
  if (length !== undefined && incoming.headers['content-encoding'] === undefined) headers.set('content-length', length);
  const hasBody = method === 'POST' || method === 'PATCH';
  const body = hasBody ? ReadableStream.from(inLargePieces(exchange.streamBody())) : undefined;
  return new Request(new URL(target, 'http://localhost'), {
    method,
    headers,
    ...(body && { body, duplex: 'half' }),
  } as RequestInit);
}

/** Headers of the protocol; others are the service's own. */
const passedOn = [
  'location',
  'upload-offset',
  'upload-length',
  'upload-expires',
  'upload-metadata',
  'cache-control',
  'tus-version',
];

function toReply({ status, headers: given }: Response, text: string, { file }: TusStore): Reply {
  const headers: Record<string, string> = {};
  for (const name of passedOn) {
    const value = given.get(name);
    if (value !== null) headers[name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())] = value;
  }
  if (status >= 400) return { status, headers, body: { detail: text.trim(), code: codeOf(status) } };
  if (file !== null) headers['Src-Path'] = encodeURI(file.srcPath);
  return { status, headers };
}

/** Codes for what the protocol's server refuses itself. */
function codeOf(status: number): string {
  const codes: Readonly<Record<number, string>> = {
    404: 'not_found',
    409: 'upload_conflict',
    410: 'not_found',
    413: 'too_large',
  };
  return codes[status] ?? 'invalid_argument';
}
