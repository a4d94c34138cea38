import { excerptOf } from '../../src/lib/excerpt.ts';
import type { ReadObject } from '../compat/values.ts';
import { schemaName } from '../endpoints/contract.ts';
import type { Endpoint, Input } from '../endpoints/endpoint.ts';

/** The faulty part of a request: its location, such as `['path', 'second_id']`, and the value that was sent. */
export type SentArgument = Readonly<{ loc: readonly string[]; input: unknown }>;

/** What was known about a request when it failed. */
export type FailedRequest = Readonly<{ target: string; endpoint?: Endpoint; input?: Input }>;

/**
 * Where in the request an argument of the document came from, in the names of the API: schema errors use the schema's
 * argument names (`second`, `sortBy`). Null if no part of the endpoint's request maps to the argument.
 */
export function argumentPlace(
  { parameters, body }: Endpoint,
  argument: string,
): readonly [place: string, ...string[]] | null {
  const isMeant = ({ name, as }: Readonly<{ name: string; as?: string }>) =>
    name === argument || (as ?? schemaName(name)) === argument;
  const parameter = parameters.find(isMeant);
  if (parameter !== undefined) return [parameter.in, parameter.name];
  if (argument === 'waitSeconds' && parameters.some(({ name }) => name === 'wait')) return ['header', 'Prefer'];
  if (body === undefined) return null;
  const fields = body.kind === 'form' ? body.fields : body.type.kind === 'object' ? body.type.fields : [];
  const field = fields.find(isMeant);
  return field === undefined ? (body.kind === 'form' ? null : ['body']) : ['body', field.name];
}

/** The location of a faulty argument and its value. @param argument its name in the schema. */
export function sentArgument(argument: string, { target, endpoint, input }: FailedRequest): SentArgument {
  const loc = (endpoint && argumentPlace(endpoint, argument)) ?? ['query', argument];
  const [place, name] = loc;
  if (name === undefined) return { loc, input: null };
  if (place === 'query') return { loc, input: queryValue(name, target) };
  const values = place === 'body' ? bodyValues(input?.body) : input?.values;
  return { loc, input: excerptOf(values?.[argument] ?? values?.[name] ?? null) };
}

/** The values of a form or a JSON object, keyed by argument name. */
function bodyValues(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const object = body as Partial<ReadObject> & Readonly<Record<string, unknown>>;
  return object?.unknownFields === undefined ? object : object.values;
}

/** The value of a query parameter as it was written; null if it was not sent. */
function queryValue(name: string, target: string): string | null {
  const mark = target.indexOf('?');
  return mark === -1 ? null : (new URLSearchParams(target.slice(mark)).getAll(name).at(-1) ?? null);
}
