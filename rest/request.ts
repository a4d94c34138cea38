import type { Endpoint, Input, Parameter } from './endpoints.ts';
import { JsonError, parseJson } from './json.ts';
import { invalid, refuse } from './problems.ts';
import type { Problem, ReplyError } from './problems.ts';

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
const noBody: RawBody = { isPresent: false, value: null };

/**
 * Reads a JSON body. Without a content type it is JSON as well; of another type it is one text.
 *
 * @throws ReplyError 400 when it cannot be read at all, 422 when it is not JSON.
 */
export async function readJsonBody(request: RestRequest): Promise<RawBody> {
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

/** Checks path, query and body in this order. @throws ReplyError 422 with every fault. */
export function readInput(
  endpoint: Endpoint,
  request: RestRequest,
  pathValues: Readonly<Record<string, string>>,
  rawBody: RawBody,
): Input {
  const mark = request.target.indexOf('?');
  const query = mark === -1 ? noQuery : new URLSearchParams(request.target.slice(mark + 1));
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  const problems: Problem[] = [];
  for (const parameter of endpoint.parameters) {
    const sent = parameter.in === 'header' ? sentHeader(parameter, request) : sentValue(parameter, query, pathValues);
    if (sent === undefined) {
      values[parameter.name] = parameter.default;
      continue;
    }
    given.add(parameter.name);
    values[parameter.name] = readParameter(parameter, sent, problems);
  }
  const body = readBody(endpoint, rawBody, problems);
  if (problems.length > 0) throw invalid(problems);
  return { values, given, body, preferWait: readPreferWait(request.header('prefer')), target: request.target };
}

/** An empty header says nothing. */
function sentHeader({ name }: Parameter, request: RestRequest): string | undefined {
  return request.header(name.toLowerCase()) || undefined;
}

function sentValue(
  { name, in: place, list }: Parameter,
  query: URLSearchParams,
  path: Readonly<Record<string, string>>,
) {
  if (place === 'path') return path[name];
  const all = query.getAll(name);
  return all.length === 0 ? undefined : list ? all : all.at(-1);
}

function readParameter({ name, in: place, reader }: Parameter, sent: string | string[], problems: Problem[]): unknown {
  const loc = [place, name];
  if (!Array.isArray(sent)) {
    const reading = reader(sent, loc);
    if ('value' in reading) return reading.value;
    problems.push(...reading.problems);
    return undefined;
  }
  return sent.map((element, index) => {
    const reading = reader(element, [...loc, String(index)]);
    if ('value' in reading) return reading.value;
    problems.push(...reading.problems);
    return undefined;
  });
}

function readBody({ body: reader }: Endpoint, { isPresent, value }: RawBody, problems: Problem[]): unknown {
  if (reader === undefined) return undefined;
  if (!isPresent) {
    problems.push({ type: 'missing', loc: ['body'], msg: 'Field required', input: null });
    return undefined;
  }
  const reading = reader(value, ['body']);
  if ('value' in reading) return reading.value;
  problems.push(...reading.problems);
  return undefined;
}

function readPreferWait(header: string | undefined): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(header ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
