import { ReplyError } from '../../lib/http-contract.ts';
import type { Exchange } from '../../http/exchange.ts';
import { graphqlRefusal } from '../../http/reply/graphql-refusal.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { checkArriving, JsonTooLarge, parseJsonInSlices, readUtf8 } from '../../lib/json/index.ts';
import { TimeSlice } from '../../lib/time-slice.ts';

/** The body of a GraphQL request: its parsed JSON, or its text if it has another type. */
export type GraphQLBody = Readonly<{ json: unknown; text?: undefined } | { text: string }>;

/**
 * Reads the body of a POST. JSON is parsed in slices; anything else must be short, since it is read at once.
 *
 * @throws ReplyError 413 if it is too large, 400 if it is not JSON or UTF-8; what `readBody` throws.
 */
export async function readGraphQLBody(exchange: Exchange): Promise<GraphQLBody> {
  const isJson = /^application\/(?:graphql\+)?json\s*(?:[;,]|$)/i.test(exchange.header('content-type') ?? '');
  const { jsonLimits } = exchange;
  const bytes = readUtf8(await readBytes(exchange, isJson));
  if (bytes === null) throw unreadable('The body is not UTF-8', 'Send it in UTF-8');
  if (!isJson && bytes.length > jsonLimits.valueBytes) {
    throw tooLarge(`A body that is not JSON is longer than ${jsonLimits.valueBytes / 1024} KiB`);
  }
  const slice = () => new TimeSlice(exchange.tenantId);
  if (!isJson) return { text: bytes.toString() };
  try {
    return { json: await parseJsonInSlices(bytes, JSON.parse, jsonLimits, { slice }) };
  } catch (error) {
    throw error instanceof JsonTooLarge ? tooMuch(error) : noJson(error instanceof Error ? error.message : '');
  }
}

async function readBytes(exchange: Exchange, isJson: boolean): Promise<Buffer> {
  if (!isJson) return exchange.readBody();
  try {
    return await exchange.readBody(checkArriving(exchange.jsonLimits));
  } catch (error) {
    throw error instanceof JsonTooLarge ? tooMuch(error) : error;
  }
}

function tooMuch({ message }: JsonTooLarge): ReplyError {
  return tooLarge(`The JSON body is too large: ${message}`);
}

function tooLarge(message: string): ReplyError {
  const hint = 'Send it in several requests';
  return new ReplyError(graphqlRefusal({ message, extensions: { code: 'too_large', hint } }));
}

function noJson(fault: string): ReplyError {
  return unreadable(`The body is not JSON: ${excerpt(fault)}`, 'Send {"query": …}');
}

function unreadable(message: string, hint: string): ReplyError {
  return new ReplyError(graphqlRefusal({ message, extensions: { code: 'invalid_argument', hint } }));
}
