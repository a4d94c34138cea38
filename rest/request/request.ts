import type { ApiRequest } from '../../src/lib/http-contract.ts';
import type { Body, Endpoint, Input, Parameter } from '../endpoints/endpoint.ts';
import { readForm } from './forms.ts';
import type { FormValues } from './forms.ts';
import { Faults } from './faults.ts';
import { readJsonBody } from './json-body.ts';
import type { RawBody } from './json-body.ts';
import { invalid } from './refuse.ts';
import { createRepeatHint } from './repeated.ts';
import { createTypoHint } from './typos.ts';
import type { BodyField } from '../endpoints/types.ts';
import { streamFile } from './read-file.ts';
import { readerOf, readInSlices, UploadedFile } from '../compat/values.ts';
import type { Reader } from '../compat/values.ts';

const noQuery = new URLSearchParams();
export const noBody: RawBody = { isPresent: false, value: null };

/** Reads the body that an endpoint takes. @throws ReplyError if it cannot be read. */
export async function readRawBody(body: Body, request: ApiRequest): Promise<RawBody> {
  if (body.kind === 'json') return readJsonBody(request);
  const { streamed } = body;
  const form = streamed === undefined ? readForm(request, namesOf(body)) : streamFile(request, streamed);
  return { isPresent: true, value: await form };
}

const names = new WeakMap<Body, ReadonlySet<string>>();

function namesOf(body: Body & Readonly<{ kind: 'form' }>): ReadonlySet<string> {
  let known = names.get(body);
  if (known === undefined) names.set(body, (known = new Set(body.fields.map(({ name }) => name))));
  return known;
}

/** Reads and checks the path, query and body of a request. @throws ReplyError 422 with every fault. */
export type InputReader = (
  request: ApiRequest,
  pathValues: Readonly<Record<string, string>>,
  rawBody: RawBody,
) => Promise<Input>;

type ReadParameter = Readonly<{
  name: string;
  place: Parameter['in'];
  /** The values sent for it; undefined if there are none. */
  sent: (
    query: URLSearchParams,
    path: Readonly<Record<string, string>>,
    request: ApiRequest,
  ) => string | string[] | undefined;
  reader: Reader;
  required: true | undefined;
  default: unknown;
}>;

/** Creates an endpoint's input reader, which checks path, query and body in this order. */
export function createInputReader({ parameters, body }: Endpoint): InputReader {
  const table = parameters.map(toRead);
  const repeatHint = createRepeatHint(parameters);
  const typoHint = createTypoHint(parameters);
  const reader = body === undefined ? undefined : bodyReader(body);
  return async (request, pathValues, rawBody) => {
    const mark = request.target.indexOf('?');
    // Keeps the question mark: URLSearchParams strips a leading one, and a second one would belong to the first name.
    const query = mark === -1 ? noQuery : new URLSearchParams(request.target.slice(mark));
    const values: Record<string, unknown> = {};
    const given = new Set<string>();
    const faults = new Faults();
    for (const { name, place, sent, reader: read, required, default: standard } of table) {
      const value = sent(query, pathValues, request);
      if (value !== undefined) given.add(name);
      const isMissing = value === undefined && required === true;
      if (isMissing) at(faults, [place, name], () => faults.add(...missing));
      else values[name] = value === undefined ? standard : at(faults, [place, name], () => read(value, faults));
    }
    const content = reader === undefined ? undefined : await reader(rawBody, faults, values, request.tenantId);
    const hint = repeatHint(request.target) ?? typoHint(query, faults.listed);
    if (hint !== null) request.setHeader('Warning', `299 - "${hint}"`);
    if (faults.count > 0) throw invalid(faults, hint);
    const preferWait = readPreferWait(request.header('prefer'));
    return { values, given, body: content, preferWait, target: request.target };
  };
}

function at<T>(faults: Faults, place: readonly string[], read: () => T): T {
  for (const part of place) faults.enter(part);
  const value = read();
  for (const _ of place) faults.leave();
  return value;
}

function toRead({ name, in: place, type, required, default: standard, mayBeEmpty }: Parameter): ReadParameter {
  const isList = type.kind === 'list';
  return {
    name,
    place,
    reader: readerOf(type),
    required,
    default: standard,
    sent(query, path, request) {
      if (place === 'path') return path[name];
      if (place === 'header') {
        const value = request.header(name.toLowerCase());
        return value === '' && mayBeEmpty !== true ? undefined : value;
      }
      if (!query.has(name)) return undefined;
      const all = query.getAll(name);
      return isList ? all : all.at(-1);
    },
  };
}

/** Reads a body; its required type may depend on the parameters. */
type BodyReader = (
  raw: RawBody,
  faults: Faults,
  values: Readonly<Record<string, unknown>>,
  tenantId: number | undefined,
) => unknown;

function bodyReader(body: Body): BodyReader {
  if (body.kind === 'form') return formReader(body.fields);
  const { type: usual, withFormula } = body;
  return async ({ isPresent, value, readExactly }, faults, { q = null }, tenantId) => {
    const type = q === null ? usual : (withFormula ?? usual);
    const read = async (content: unknown) => {
      faults.enter('body');
      const result = await readInSlices(type, content, faults, tenantId);
      faults.leave();
      return result;
    };
    if (!isPresent && type === withFormula && withFormula.fields.length === 0) return null;
    if (!isPresent) return at(faults, ['body'], () => faults.add(...missing));
    const before = faults.mark();
    const content = await read(value);
    if (faults.mark().count === before.count || readExactly === undefined) return content;
    // The error message quotes what was sent, so now every digit counts.
    faults.goBack(before);
    return read(await readExactly());
  };
}

/** Reads the fields of a form. An empty text, or a file without name and content, counts as not sent. */
function formReader(fields: readonly BodyField[]): BodyReader {
  const shape = fields.map((field) => ({ ...field, reader: readerOf(field.type) }));
  return ({ value: form }, faults) => {
    const values: Record<string, unknown> = {};
    for (const { name, reader, required, default: standard } of shape) {
      const sent = (form as FormValues).get(name);
      const isSent = sent instanceof UploadedFile ? sent.name !== '' || sent.bytes.length > 0 : Boolean(sent);
      values[name] = at(faults, ['body', name], () =>
        isSent ? reader(sent, faults) : required ? faults.add(...missing) : standard,
      );
    }
    return values;
  };
}

const missing = ['missing', 'Field required', null] as const;

function readPreferWait(header: string | undefined): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(header ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
