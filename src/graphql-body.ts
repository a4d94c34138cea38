import { ReplyError } from '../rest/index.ts';
import type { Exchange } from './http/exchange.ts';
import { JsonTooLarge, parseJsonInSlices } from './lib/json/index.ts';

/** The body of a GraphQL request: JSON that is parsed, or the fault of it; or the text of one in another type. */
export type GraphQLBody = Readonly<{ json?: Parsed; text?: string }>;

type Parsed = Readonly<{ value?: unknown; fault?: SyntaxError }>;

/** The value of a body. @throws SyntaxError where it is no JSON. */
export function valueOf({ value, fault }: Parsed): unknown {
  if (fault !== undefined) throw fault;
  return value;
}

/**
 * Reads the body of a POST. JSON is parsed in slices; anything else is short, since it is read at once.
 *
 * @throws ReplyError 413 where it is too large; what `readBody` throws.
 */
export async function readGraphQLBody(exchange: Exchange): Promise<GraphQLBody> {
  const isJson = /^application\/(?:graphql\+)?json\s*(?:[;,]|$)/i.test(exchange.header('content-type') ?? '');
  const bytes = await exchange.readBody();
  const { jsonLimits } = exchange;
  if (!isJson && bytes.length > jsonLimits.valueBytes) {
    throw tooLarge(`A body that is no JSON is longer than ${jsonLimits.valueBytes / 1024} KiB`);
  }
  if (!isJson) return { text: bytes.toString() };
  try {
    return { json: { value: await parseJsonInSlices(bytes, JSON.parse, jsonLimits) } };
  } catch (error) {
    if (error instanceof JsonTooLarge) throw tooLarge(`The JSON body is too large: ${error.message}`);
    return { json: { fault: new SyntaxError(error instanceof Error ? error.message : 'no JSON') } };
  }
}

function tooLarge(message: string): ReplyError {
  const hint = 'Send it in several requests';
  return new ReplyError({ status: 413, body: { errors: [{ message, extensions: { code: 'too_large', hint } }] } });
}
