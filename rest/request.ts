import type { Body, Endpoint, Input, Parameter } from './endpoint.ts';
import { readForm } from './forms.ts';
import type { FormValues } from './forms.ts';
import { JsonError, parseJson, parseJsonExactly } from './json.ts';
import { invalid, refuse } from './problems.ts';
import type { Problem, ReplyError } from './problems.ts';
import type { Field } from './types.ts';
import { readerOf, UploadedFile } from './values.ts';
import type { Reader, Reading } from './values.ts';

/** A request as the server hands it over. */
export type RestRequest = {
  /** Template of the path that it leads to, once that is known. */
  route: string;
} & Readonly<{
  method: string;
  /** Path and query as sent. */
  target: string;
  /** The first header of this name (lower case), without blanks around it. */
  header(name: string): string | undefined;
  /** The whole body; rejects with ReplyError 413 when it is too large. */
  readBody(): Promise<Buffer>;
  /** The body piece by piece; rejects as `readBody` does, and with what `take` throws. */
  readPieces(take: (piece: Buffer) => void): Promise<void>;
  /** Fires when the client has gone. */
  readonly signal: AbortSignal;
  /** Where the connection comes from. */
  readonly address: string | null;
  /** Adds a header to the answer, whatever it will be. */
  setHeader(name: string, value: string): void;
}>;

/** A body before it is checked: JSON, or the text of one in another type, or a form, or none. */
export type RawBody = Readonly<{
  isPresent: boolean;
  value: unknown;
  /** The text that JSON was read from. */
  json?: string;
}>;

const noQuery = new URLSearchParams();
export const noBody: RawBody = { isPresent: false, value: null };

/** Reads what an endpoint takes. @throws ReplyError when it cannot be read. */
export async function readRawBody(body: Body, request: RestRequest): Promise<RawBody> {
  if (body.kind === 'json') return readJsonBody(request);
  return { isPresent: true, value: await readForm(request, namesOf(body)) };
}

/**
 * Reads a JSON body. Without a content type it is JSON as well; of another type it is one text.
 *
 * @throws ReplyError 400 when it cannot be read at all, 422 when it is not JSON.
 */
async function readJsonBody(request: RestRequest): Promise<RawBody> {
  const bytes = await request.readBody();
  if (bytes.length === 0) return noBody;
  if (!isJson(request.header('content-type'))) return { isPresent: true, value: bytes.toString() };
  const text = decode(bytes);
  try {
    return { isPresent: true, value: parseJson(text), json: text };
  } catch (error) {
    if (!(error instanceof JsonError)) throw unreadable();
    const { position, message } = error;
    const loc = ['body', String(position)];
    throw invalid([{ type: 'json_invalid', loc, msg: 'JSON decode error', input: {}, ctx: { error: message } }]);
  }
}

const names = new WeakMap<Body, ReadonlySet<string>>();

function namesOf(body: Body & Readonly<{ kind: 'form' }>): ReadonlySet<string> {
  let known = names.get(body);
  if (known === undefined) names.set(body, (known = new Set(body.fields.map(({ name }) => name))));
  return known;
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === '') return true;
  const [main, subtype, ...more] = contentType.split(';', 1)[0]?.trim().toLowerCase().split('/') ?? [];
  return main === 'application' && more.length === 0 && (subtype === 'json' || (subtype ?? '').endsWith('+json'));
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
  sent: (
    query: URLSearchParams,
    path: Readonly<Record<string, string>>,
    request: RestRequest,
  ) => string | string[] | undefined;
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
      const value = sent(query, pathValues, request);
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
    sent(query, path, request) {
      if (place === 'path') return path[name];
      if (place === 'header') return request.header(name.toLowerCase()) || undefined; // An empty one says nothing.
      if (!query.has(name)) return undefined;
      const all = query.getAll(name);
      return isList ? all : all.at(-1);
    },
  };
}

const noValue: Reading = { value: undefined };

function bodyReader(body: Body): (raw: RawBody) => Reading {
  if (body.kind === 'form') return formReader(body.fields);
  const read = readerOf(body.type);
  return ({ isPresent, value, json }) => {
    if (!isPresent) return missing(['body']);
    const reading = read(value, ['body']);
    if ('value' in reading || json === undefined) return reading;
    // The complaint quotes what was sent, so that every digit counts now.
    try {
      return read(parseJsonExactly(json), ['body']);
    } catch {
      throw unreadable();
    }
  };
}

/** Reads the fields of a form. An empty text, and a file without name and content, is as not sent. */
function formReader(fields: readonly Field[]): (raw: RawBody) => Reading {
  const shape = fields.map((field) => ({ ...field, loc: ['body', field.name], reader: readerOf(field.type) }));
  return ({ value: form }) => {
    const values: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const { name, loc, reader, required, default: standard } of shape) {
      const sent = (form as FormValues).get(name);
      const isSent = sent instanceof UploadedFile ? sent.name !== '' || sent.bytes.length > 0 : Boolean(sent);
      const reading = isSent ? reader(sent, loc) : required ? missing(loc) : { value: standard };
      if ('value' in reading) values[name] = reading.value;
      else problems.push(...reading.problems);
    }
    return problems.length > 0 ? { problems } : { value: values };
  };
}

function missing(loc: readonly string[]): Reading {
  return { problems: [{ type: 'missing', loc, msg: 'Field required', input: null }] };
}

function readPreferWait(header: string | undefined): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(header ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
