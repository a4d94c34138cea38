import { Readable } from 'node:stream';
import type { Endpoint, Input } from '../../../rest/endpoints/endpoint.ts';
import { createRouter } from '../../../rest/answer/router.ts';
import { endpoints } from '../../../rest/index.ts';
import { ReplyError } from '../../../src/lib/http-contract.ts';
import { createInputReader, noBody, readRawBody } from '../../../rest/request/request.ts';
import type { ApiRequest } from '../../../src/lib/http-contract.ts';
import type { ReadObject } from '../../../rest/compat/values.ts';
import { UploadedFile } from '../../../rest/compat/values.ts';
import type { RawReply } from '../raw.ts';
import type { OddRequest } from './requests.ts';

const route = createRouter(endpoints);

/** The request as the server would hand it over. */
function asRest({ method, target, headers, body }: OddRequest): ApiRequest {
  const bytes = body ?? Buffer.alloc(0);
  return {
    route: '',
    method,
    target,
    header: (name) => headers.find(([each]) => each.toLowerCase() === name)?.[1].trim(),
    credential: undefined,
    readBody: () => Promise.resolve(bytes),
    streamBody: () => Readable.from([body]),
    readPieces: (take) => Promise.resolve(take(bytes)),
    signal: new AbortController().signal,
    address: null,
    jsonLimits: { values: 2_000_000, valueBytes: 2 ** 20 },
    whenSent: (act) => act(),
    bodyHandled: () => {},
    setHeader: () => {},
  };
}

/** `countryCode` is `country_code` in the contract. */
function toContract(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function plain(value: unknown): unknown {
  if (value instanceof UploadedFile) return { filename: value.name, size: value.bytes.length };
  if (Array.isArray(value)) return value.map(plain);
  const { values } = (value ?? {}) as ReadObject;
  if (values !== undefined)
    return Object.fromEntries(Object.entries(values).map(([name, each]) => [toContract(name), each]));
  return typeof value === 'bigint' ? Number(value) : value;
}

/** What a request says, or null where it is refused, which is judged by the answer. */
async function understood(
  endpoint: Endpoint,
  request: ApiRequest,
  values: Record<string, string>,
): Promise<Input | null> {
  try {
    const raw = endpoint.body === undefined ? noBody : await readRawBody(endpoint.body, request);
    return await createInputReader(endpoint)(request, values, raw);
  } catch (error) {
    if (error instanceof ReplyError) return null;
    throw error;
  }
}

/** What is understood of a request that the recorded application takes, where it understands something else; or null. */
export async function misunderstood(request: OddRequest, recorded: RawReply): Promise<string | null> {
  const parsed = recorded.headers['x-parsed'];
  const found = route(request.target)?.find(request.method);
  if (parsed === undefined || found === undefined || found === null) return null;
  const { endpoint, values } = found;
  const input = await understood(endpoint, asRest(request), values);
  if (input === null) return null;
  const isForm = endpoint.body?.kind === 'form';
  const wanted = JSON.parse(parsed) as Record<string, unknown>;
  const ours = { ...input.values, ...(isForm ? (input.body as object) : { body: input.body }) } as Record<
    string,
    unknown
  >;
  const faults = Object.entries(wanted).flatMap(([name, value]) => {
    const [theirs, own] = [sorted(withoutType(value)), sorted(plain(ours[name]))];
    return theirs === own ? [] : [`${name}: recorded ${theirs.slice(0, 300)}, ours ${own.slice(0, 300)}`];
  });
  return faults.length === 0 ? null : faults.join('; ');
}

/** The type of a file that a client claims counts for nothing here. */
function withoutType(value: unknown): unknown {
  const { filename, size, content_type: type } = (value ?? {}) as Record<string, unknown>;
  return type !== undefined && filename !== undefined ? { filename, size } : value;
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
