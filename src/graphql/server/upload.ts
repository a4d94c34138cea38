import { unlink } from 'node:fs';
import { PassThrough } from 'node:stream';
import { processRequest, Upload } from 'graphql-upload-ts';
import type { FileUpload } from 'graphql-upload-ts';
import { maxUploadBytes } from '../schema/upload.ts';
import type { Exchange } from '../../http/exchange.ts';
import { graphqlRefusal } from '../../http/reply/graphql-refusal.ts';
import { ReplyError } from '../../lib/http-contract.ts';
import { isObject } from '../../lib/is-object.ts';

/** A multipart request: an operation whose variables contain files that may still be arriving. */
type UploadRequest = Readonly<{
  query: string;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** Resolves when the whole request has been read. @throws ReplyError when it is too large, or stalls. */
  arrived: Promise<void>;
}>;

/** Maximum number of files in one request; pictures are analyzed one at a time. */
const maxFiles = 10;
/** Maximum bytes of the operation, and of the map. */
const maxFieldSize = 2 ** 20;

/** Whether a request follows the GraphQL multipart request specification. */
export function isUpload({ method, incoming }: Exchange): boolean {
  return method === 'POST' && /^multipart\/form-data\b/i.test(incoming.headers['content-type'] ?? '');
}

/**
 * Reads a request of the GraphQL multipart request specification up to the start of its files. The files are written to
 * unnamed files as they arrive, which vanish with the request or the process.
 *
 * @throws ReplyError for a form that is invalid, too large, or stalls.
 */
export async function readUploadRequest(exchange: Exchange): Promise<UploadRequest> {
  const body = Object.assign(new PassThrough(), { headers: exchange.incoming.headers });
  // Despite its types, the reader uses only methods that every stream has.
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
  // If the body fails, its error is reported, not the reader's error about an incomplete form.
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

/** Finds every file among the variables, at any depth. Does not recurse, because a client chooses the depth. */
function uploadsIn(variables: unknown): Upload[] {
  const uploads: Upload[] = [];
  const open = [variables];
  while (open.length > 0) {
    const value = open.pop();
    if (value instanceof Upload) uploads.push(value);
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) open.push(each);
  }
  return uploads;
}

/** Unlinks an open file, which needs no name, so that nothing remains of it when the process is killed. */
function forgetName({ capacitor }: FileUpload): void {
  const forget = () => {
    const path: unknown = Reflect.get(capacitor, '_path');
    if (typeof path === 'string') unlink(path, () => {}); // If this fails, the file is removed when the request ends.
  };
  if (capacitor._fd === null) capacitor.once('ready', forget);
  else forget();
}

type HttpError = Error & Readonly<{ status?: number }>;

function toReplyError({ status, message }: HttpError): ReplyError {
  const text = message
    .slice(0, 1000)
    .replace(/ \(https:[^)]*\)/, '')
    .slice(0, 200);
  return refuse(status === 413 ? 'too_large' : 'invalid_argument', text);
}

function refuse(code: 'too_large' | 'invalid_argument', message: string): ReplyError {
  const hint = 'See the GraphQL multipart request specification';
  return new ReplyError(graphqlRefusal({ message, extensions: { code, hint } }));
}
