import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { SetupError } from '../../../lib/errors.ts';
import { uploadLimits } from '../../../uploads/index.ts';
import { writeWhole } from '../../write-whole.ts';

/** How to reach another catalog: its address, the key, the headers that send it, and the signal that ends requests. */
export type RemoteApi = Readonly<{
  url: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}>;

const answerMs = 60_000;
/** Enough for a file of four gibibytes at one megabyte per second. */
const fileMs = 4_096_000;
const maxAnswerBytes = 64 * 2 ** 20;

/**
 * Sends a request to another catalog and returns its answer, checked against a schema.
 *
 * @param body sent as JSON by POST; without it, the request is a GET
 * @throws SetupError if there is no such answer
 */
export async function ask<T>(api: RemoteApi, path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
  const answer = await request(api, path, answerMs, body);
  let content: unknown;
  try {
    content = JSON.parse(await text(bodyOf(answer, maxAnswerBytes)));
  } catch (error) {
    throw new SetupError(`${shownOf(api, path)} did not answer in JSON: ${(error as Error).message}`);
  }
  const { success, data, error } = schema.safeParse(content);
  if (success) return data;
  const [issue] = error.issues;
  throw new SetupError(
    `${shownOf(api, path)} did not answer as its documentation says: ${issue?.path.join('.')}: ${issue?.message}`,
  );
}

/** Downloads a file to a path; a file that already exists there in full length is kept. */
export async function download(
  api: RemoteApi,
  path: string,
  { to, bytes }: Readonly<{ to: string; bytes: number | null }>,
) {
  const found = await stat(to).catch(() => null);
  if (found !== null && (bytes === null || found.size === bytes)) return;
  const answer = await request(api, path, fileMs);
  await writeWhole(to, [Readable.from(bodyOf(answer, uploadLimits.bytes))]);
}

/** Redirects are refused, so that the key is sent to no other address. @throws the reason of the signal if it fires */
async function request(api: RemoteApi, path: string, ms: number, body?: object): Promise<Response> {
  const { url, headers } = api;
  const shown = shownOf(api, path);
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const options: RequestInit = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Accept: '*/*', ...headers, ...type },
    redirect: 'error',
    signal: AbortSignal.any([api.signal, AbortSignal.timeout(ms)]),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const answer = await fetch(`${url}${path}`, options).catch((error: unknown) => {
    api.signal.throwIfAborted();
    const { message, cause } = error as Error;
    throw new SetupError(`${shown} does not answer: ${cause instanceof Error ? cause.message : message}`);
  });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  const hint = answer.status === 401 || answer.status === 403 ? '. Check the key in --key-file' : '';
  throw new SetupError(`${shown} answered ${answer.status}${hint}`);
}

/** An address as messages show it: without its query, which may contain a token or a signature. */
function shownOf({ url }: RemoteApi, path: string): string {
  return `${url}${path.split('?')[0]}`;
}

/** The bytes of an answer. @throws SetupError if there are more than `most` */
async function* bodyOf({ body }: Response, most: number): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    sum += part.length;
    if (sum > most) throw new SetupError(`it is larger than ${most / 2 ** 20} MiB`);
    yield Buffer.from(part);
  }
}
