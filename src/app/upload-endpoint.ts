import { MemoryLocker, Server } from '@tus/server';
import { admitCall, requireScope } from '../graphql/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendReply } from '../http/reply/send.ts';
import { pathOf } from '../http/request/routes.ts';
import { AppError } from '../lib/errors.ts';
import { consoleHeader, ReplyError } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';
import { forTenant } from '../tenants/index.ts';
import { uploadLimits } from '../uploads/index.ts';
import type { Uploads } from '../uploads/index.ts';
import { identifyCaller, toRefusal } from './caller.ts';
import type { CallerDeps } from './caller.ts';
import { SentBody } from './sent-body.ts';
import { TusStore } from './tus-store.ts';
import { begunUploadsPath, uploadMethodOf, uploadMethods, uploadsPath } from './upload-paths.ts';

export type UploadDeps = CallerDeps &
  Readonly<{
    uploads: Uploads | undefined;
    /** Answers requests that do not belong to the protocol. */
    toApis(exchange: Exchange): Promise<void> | void;
  }>;

const bodyMethods = new Set(['POST', 'PATCH']);

const version = '1.0.0';
/** Headers of every protocol reply, of replies to other versions, and of the reply to OPTIONS. */
const protocol = { 'Tus-Resumable': version };
const known = { 'Tus-Version': version };
const abilities = {
  ...protocol,
  ...known,
  'Tus-Extension': 'creation,creation-with-upload,termination,expiration',
  'Tus-Max-Size': String(uploadLimits.bytes),
};

const otherVersion: Reply = {
  status: 412,
  headers: known,
  body: { detail: `Tus-Resumable must be ${version}`, code: 'invalid_argument' },
};

const pieceType = 'application/offset+octet-stream';
const otherType: Reply = {
  status: 415,
  body: { detail: `The Content-Type of a piece must be ${pieceType}`, code: 'unsupported_media' },
};

/** Answers /uploads: by the tus 1.0 protocol if the request names it, else as the API's `POST /uploads`. */
export function createUploadEndpoint(deps: UploadDeps): (exchange: Exchange) => Promise<void> {
  const locker = new MemoryLocker();

  async function answer(exchange: Exchange): Promise<Reply> {
    const { uploads } = deps;
    const viewer = await identifyCaller(exchange, deps.identify);
    const context = deps.createContext(viewer, exchange.requestId, exchange);
    requireScope(context, 'uploads:write');
    if (uploads === undefined) throw new AppError('not_implemented', 'This process accepts no uploads');
    if (exchange.header('tus-resumable') !== version) return otherVersion;
    const method = uploadMethodOf(exchange);
    const type = exchange.header('content-type');
    if (method === 'PATCH' && type !== pieceType) return otherType;
    if (isFolder(exchange)) await admitCall(context, viewer, 'write');
    const hasBody = bodyMethods.has(method) && type !== undefined;
    const sent = hasBody ? new SentBody(exchange) : null;
    const store = new TusStore(uploads, forTenant(context.services.database, viewer.tenantId), sent);
    const reply = await speak(toRequest(exchange, sent), store, locker).catch((error: unknown) => {
      throw sent?.fault ?? error;
    });
    return withAddress(reply, rootFor(exchange, context.services.baseUrl));
  }

  return async (exchange) => {
    const { method } = exchange;
    const path = isFolder(exchange) ? uploadsPath : begunUploadsPath;
    if (method === 'OPTIONS') {
      return sendReply(exchange, { status: 204, headers: { ...abilities, Allow: uploadMethods[path].join(', ') } });
    }
    if (method === 'POST' && exchange.header('tus-resumable') === undefined) {
      return deps.toApis(exchange);
    }
    exchange.route = path === uploadsPath ? path : `${path}{upload_id}`;
    const reply = await answer(exchange).catch((error: unknown) =>
      error instanceof ReplyError ? error.reply : toRefusal(deps.explain(error, exchange.requestId)),
    );
    return sendReply(exchange, { ...reply, headers: { ...protocol, ...reply.headers } });
  };
}

/** What precedes the path of an upload in `Location`, for a proxy may serve Vitrine below a path. */
function rootFor(exchange: Exchange, baseUrl = ''): string {
  if (exchange.header(consoleHeader) !== undefined) return '.';
  return baseUrl === '' || new URL(baseUrl).pathname === '/' ? '' : baseUrl;
}

function withAddress(reply: Reply, root: string): Reply {
  const path = reply.headers?.['Location'];
  return path === undefined ? reply : { ...reply, headers: { ...reply.headers, Location: `${root}${path}` } };
}

function isFolder(exchange: Exchange): boolean {
  return pathOf(exchange.target) === uploadsPath;
}

/** Lets the tus server answer the request. @throws what the store throws. */
async function speak(request: Request, store: TusStore, locker: MemoryLocker): Promise<Reply> {
  let failure: unknown = null;
  const server = new Server({
    path: uploadsPath,
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
  const response = await server.handleWeb(request);
  if (failure instanceof Error) throw failure;
  return toReply(response, await response.text(), store);
}

function toRequest(exchange: Exchange, sent: SentBody | null): Request {
  const { target, incoming } = exchange;
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
  return new Request(new URL(target, 'http://localhost'), {
    method: uploadMethodOf(exchange),
    headers,
    ...(sent !== null && { body: sent.forProtocol, duplex: 'half' }),
  } as RequestInit);
}

/** Headers of the tus server that are passed on; all others are set by this service. */
const passedOn = ['location', 'upload-offset', 'upload-length', 'upload-metadata', 'cache-control'];

function toReply(response: Response, text: string, { file, expiresAt }: TusStore): Reply {
  const { headers: given } = response;
  // It means a missing header: clients without permission to upload were refused before.
  const status = response.status === 403 ? 400 : response.status;
  const headers: Record<string, string> = {};
  for (const name of passedOn) {
    const value = given.get(name);
    if (value !== null) headers[name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())] = value;
  }
  if (status >= 400) return { status, headers, body: { detail: text.trim(), code: codeOf(status) } };
  if (expiresAt !== null) headers['Upload-Expires'] = expiresAt.toUTCString();
  if (file !== null) headers['Src-Path'] = encodeURI(file.srcPath);
  return { status, headers };
}

/** Error codes for requests that the tus server itself refuses. */
function codeOf(status: number): string {
  const codes: Readonly<Record<number, string>> = {
    404: 'not_found',
    409: 'upload_conflict',
    410: 'not_found',
    413: 'too_large',
    501: 'not_implemented',
  };
  return codes[status] ?? 'invalid_argument';
}
