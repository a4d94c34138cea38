import { excerptOf } from '../../src/lib/excerpt.ts';
import { schemaName } from '../endpoints/contract.ts';
import type { Endpoint, Input } from '../endpoints/endpoint.ts';

/** What of a request is at fault: `['path', 'second_id']`, and the value that was sent. */
export type SentArgument = Readonly<{ loc: readonly string[]; input: unknown }>;

/** A request, as far as it is known where it fails. */
export type FailedRequest = Readonly<{ target: string; endpoint?: Endpoint; input?: Input }>;

/**
 * Where a request gave an argument of its document, by the names of the API: errors of the schema name its arguments
 * (`second`, `sortBy`). Null where the endpoint has none that the argument is made of.
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

/** The place of an argument at fault, and what stands there. @param argument as the schema names it. */
export function sentArgument(argument: string, { target, endpoint, input }: FailedRequest): SentArgument {
  const [place, name, ...more] = (endpoint && argumentPlace(endpoint, argument)) ?? ['query', argument];
  const loc = [place, ...(name === undefined ? [] : [name]), ...more];
  if (name === undefined) return { loc, input: null };
  if (place === 'query') return { loc, input: queryValue(name, target) };
  const values = place === 'body' ? input?.body : input?.values;
  return { loc, input: excerptOf((values as Readonly<Record<string, unknown>> | undefined)?.[name] ?? null) };
}

/** The value of a parameter of the query as it was written; null where it was not. */
function queryValue(name: string, target: string): string | null {
  const mark = target.indexOf('?');
  return mark === -1 ? null : (new URLSearchParams(target.slice(mark)).getAll(name).at(-1) ?? null);
}
