import { unlink } from 'node:fs';
import { PassThrough } from 'node:stream';
import { processRequest, Upload } from 'graphql-upload-ts';
import type { FileUpload } from 'graphql-upload-ts';
import { maxUploadBytes } from '../schema/upload.ts';
import type { Exchange } from '../../http/exchange.ts';
import { graphqlRefusal } from '../../http/reply/graphql-refusal.ts';
import { ReplyError } from '../../lib/http-contract.ts';

/** A multipart request: an operation whose variables contain files that may still be arriving. */
export type UploadRequest = Readonly<{
  query: string;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** Ends when the whole request has been read. @throws ReplyError when it is too large, or stops coming. */
  arrived: Promise<void>;
}>;

/** Files of one request; pictures are analyzed one at a time. */
const maxFiles = 10;
/** The operation and the map. */
const maxFieldSize = 2 ** 20;

/** Whether a request is sent as the GraphQL multipart request specification says. */
export function isUpload({ method, incoming }: Exchange): boolean {
  return method === 'POST' && /^multipart\/form-data\b/i.test(incoming.headers['content-type'] ?? '');
}

/**
 * Reads a request of the GraphQL multipart request specification up to where its files begin. Those are written to
 * files without a name as they arrive, which end with the request, and with the process.
 *
 * @throws ReplyError for a form that is invalid, too large, or stalls.
 */
export async function readUploadRequest(exchange: Exchange): Promise<UploadRequest> {
  const body = Object.assign(new PassThrough(), { headers: exchange.incoming.headers });
  // The reader uses only methods of every stream, despite its types.
  const request = body as unknown as Parameters<typeof processRequest>[0];
  const arrived = exchange.passOn(body).catch((error: unknown) => {
    body.destroy();
    throw error;
  });
  const reading = processRequest<unknown>(request, exchange.outgoing, {
    maxFieldSize,
    maxFileSize: maxUploadBytes,
    maxFiles,
  });
  // If the body fails, its reason counts, not the error of the reader about half a form.
  const failing = arrived.then(() => new Promise<never>(() => {}));
  failing.catch(() => {});
  try {
    return { ...toOperation(await Promise.race([reading, failing])), arrived };
  } catch (error) {
    reading.catch(() => {});
    if (error instanceof ReplyError) throw error;
    throw toReplyError(error as HttpError);
  }
}

function toOperation(operations: unknown): Omit<UploadRequest, 'arrived'> {
  const { query, operationName, variables } = (operations ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof query !== 'string') throw refuse('invalid_argument', 'operations: one operation with a query is expected');
  for (const upload of uploadsIn(variables)) upload.promise.then(forgetName, () => {});
  return {
    query,
    operationName: typeof operationName === 'string' ? operationName : undefined,
    variables: isObject(variables) ? variables : {},
  };
}

/** Every file among the variables, however deep: step by step, because a client chooses the depth. */
function uploadsIn(variables: unknown): Upload[] {
  const uploads: Upload[] = [];
  const open = [variables];
  while (open.length > 0) {
    const value = open.pop();
    if (value instanceof Upload) uploads.push(value);
    else if (typeof value === 'object' && value !== null) open.push(...Object.values(value));
  }
  return uploads;
}

/** An open file needs no name: without one nothing is left of it when the process is killed. */
function forgetName({ capacitor }: FileUpload): void {
  const forget = () => {
    const path: unknown = Reflect.get(capacitor, '_path');
    if (typeof path === 'string') unlink(path, () => {}); // Where this cannot be, it goes when the request ends.
  };
  if (capacitor._fd === null) capacitor.once('ready', forget);
  else forget();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type HttpError = Error & Readonly<{ status?: number }>;

function toReplyError({ status, message }: HttpError): ReplyError {
  const text = message.replace(/ \(https:[^)]*\)/, '').slice(0, 200);
  return refuse(status === 413 ? 'too_large' : 'invalid_argument', text);
}

function refuse(code: 'too_large' | 'invalid_argument', message: string): ReplyError {
  const hint = 'See the GraphQL multipart request specification';
  return new ReplyError(graphqlRefusal({ message, extensions: { code, hint } }));
}
