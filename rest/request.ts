import type { Body, Endpoint, Input, Parameter } from './endpoint.ts';
import { JsonError, parseJson } from './json.ts';
import { invalid, refuse } from './problems.ts';
import type { Problem, ReplyError } from './problems.ts';
import { readerOf } from './values.ts';
import type { Reader, Reading } from './values.ts';

/** A request as the server hands it over. */
export type RestRequest = Readonly<{
  method: string;
  /** Path and query as sent. */
  target: string;
  /** The first header of this name (lower case), without blanks around it. */
  header(name: string): string | undefined;
  /** The whole body; rejects with ReplyError 413 when it is too large. */
  readBody(): Promise<Buffer>;
  /** Fires when the client has gone. */
  readonly signal: AbortSignal;
}>;

/** A body before it is checked: JSON, or the text of one in another type, or none. */
export type RawBody = Readonly<{ isPresent: boolean; value: unknown }>;

const noQuery = new URLSearchParams();
export const noBody: RawBody = { isPresent: false, value: null };

/** Reads what an endpoint takes. @throws ReplyError when it cannot be read. */
export async function readRawBody(body: Body, request: RestRequest): Promise<RawBody> {
  return body.kind === 'json' ? readJsonBody(request) : noBody;
}

/**
 * Reads a JSON body. Without a content type it is JSON as well; of another type it is one text.
 *
 * @throws ReplyError 400 when it cannot be read at all, 422 when it is not JSON.
 */
async function readJsonBody(request: RestRequest): Promise<RawBody> {
  const bytes = await request.readBody();
  if (bytes.length === 0) return noBody;
  const text = decode(bytes);
  const type = (request.header('content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!/^application\/(?:json|[^\s/,]+\+json)$/.test(type)) return { isPresent: true, value: text };
  try {
    return { isPresent: true, value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw unreadable();
    const { position, message } = error;
    throw invalid([
      {
        type: 'json_invalid',
        loc: ['body', String(position)],
        msg: 'JSON decode error',
        input: {},
        ctx: { error: message },
      },
    ]);
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable();
  }
}

function unreadable(): ReplyError {
  return refuse(400, 'There was an error parsing the body');
}

/** Checks what a request says. @throws ReplyError 422 with every fault. */
export type InputReader = (
  request: RestRequest,
  pathValues: Readonly<Record<string, string>>,
  rawBody: RawBody,
) => Input;

type ReadParameter = Readonly<{
  name: string;
  loc: readonly string[];
  /** The values that a request gives it; undefined for none. */
  sent: (query: URLSearchParams, path: Readonly<Record<string, string>>) => string | string[] | undefined;
  reader: Reader;
  default: unknown;
}>;

/** Makes the reader of an endpoint's requests, which checks path, query and body in this order. */
export function createInputReader({ parameters, body }: Endpoint): InputReader {
  const table = parameters.map(toRead);
  const reader = body === undefined ? undefined : bodyReader(body);
  return (request, pathValues, rawBody) => {
    const mark = request.target.indexOf('?');
    // From the mark on: URLSearchParams takes one away, and a second one belongs to the first name.
    const query = mark === -1 ? noQuery : new URLSearchParams(request.target.slice(mark));
    const values: Record<string, unknown> = {};
    const given = new Set<string>();
    const problems: Problem[] = [];
    for (const { name, loc, sent, reader: read, default: standard } of table) {
      const value = sent(query, pathValues);
      if (value === undefined) {
        values[name] = standard;
        continue;
      }
      given.add(name);
      const reading = read(value, loc);
      if ('value' in reading) values[name] = reading.value;
      else problems.push(...reading.problems);
    }
    const read = reader === undefined ? noValue : reader(rawBody);
    if ('problems' in read) problems.push(...read.problems);
    if (problems.length > 0) throw invalid(problems);
    const content = 'value' in read ? read.value : undefined;
    const preferWait = readPreferWait(request.header('prefer'));
    return { values, given, body: content, preferWait, target: request.target };
  };
}

function toRead({ name, in: place, type, default: standard }: Parameter): ReadParameter {
  const isList = type.kind === 'list';
  return {
    name,
    loc: [place, name],
    reader: readerOf(type),
    default: standard,
    sent(query, path) {
      if (place === 'path') return path[name];
      if (!query.has(name)) return undefined;
      const all = query.getAll(name);
      return isList ? all : all.at(-1);
    },
  };
}

const noValue: Reading = { value: undefined };

function bodyReader(body: Body): (raw: RawBody) => Reading {
  if (body.kind === 'form') return () => noValue;
  const read = readerOf(body.type);
  return ({ isPresent, value }) =>
    isPresent
      ? read(value, ['body'])
      : { problems: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }] };
}

function readPreferWait(header: string | undefined): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(header ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
