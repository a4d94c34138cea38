import { checkArriving, JsonFault, JsonTooLarge, parseJsonInSlices, readUtf8 } from '../../src/lib/json/index.ts';
import type { JsonLimits, ParseText } from '../../src/lib/json/index.ts';
import { TimeSlice } from '../../src/lib/time-slice.ts';
import { parseJson, parseJsonExactly } from '../compat/json.ts';
import { ReplyError } from '../../src/lib/http-contract.ts';
import type { ApiRequest } from '../../src/lib/http-contract.ts';
import { refuse } from './refuse.ts';

/** A body before it is checked: JSON, the text of a body of another type, a form, or none. */
export type RawBody = Readonly<{
  isPresent: boolean;
  value: unknown;
  /** Parses the same JSON again, keeping integers exactly as sent. */
  readExactly?: () => Promise<unknown>;
}>;

/**
 * Reads a JSON body. A body without a content type counts as JSON; a body of another type is read as a single string.
 *
 * @throws ReplyError 400 if it cannot be read at all, 413 beyond the limits, 422 if it is not JSON.
 */
export async function readJsonBody(request: ApiRequest): Promise<RawBody> {
  const isText = !isJson(request.header('content-type'));
  const bytes = await readBytes(request, isText);
  if (bytes.length === 0) return { isPresent: false, value: null };
  if (isText) return { isPresent: true, value: bytes.toString() };
  const text = readUtf8(bytes);
  if (text === null) throw unreadable();
  const slice = () => new TimeSlice(request.tenantId);
  const read = (parse: ParseText) => parseBody(text, parse, request.jsonLimits, slice);
  return { isPresent: true, value: await read(parseJson), readExactly: () => read(parseJsonExactly) };
}

async function readBytes(request: ApiRequest, isText: boolean): Promise<Buffer> {
  const { jsonLimits } = request;
  if (isText) return request.readBody();
  try {
    return await request.readBody(checkArriving(jsonLimits));
  } catch (error) {
    throw error instanceof JsonTooLarge ? tooLarge(error.limit, jsonLimits) : error;
  }
}

async function parseBody(
  bytes: Buffer,
  parse: ParseText,
  limits: JsonLimits,
  slice: () => TimeSlice,
): Promise<unknown> {
  try {
    return await parseJsonInSlices(bytes, parse, limits, { slice });
  } catch (error) {
    if (error instanceof JsonTooLarge) throw tooLarge(error.limit, limits);
    if (!(error instanceof JsonFault)) throw unreadable();
    const position = String(await charactersBefore(bytes, error.at, slice()));
    const fault = { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {} };
    throw new ReplyError({ status: 422, body: { detail: [{ ...fault, ctx: { error: error.message } }] } });
  }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === '') return true;
  const [main, subtype, ...more] = contentType.split(';', 1)[0]?.trim().toLowerCase().split('/') ?? [];
  return main === 'application' && more.length === 0 && (subtype === 'json' || (subtype ?? '').endsWith('+json'));
}

/** Counts the code points in the first `end` bytes, that is, all bytes except UTF-8 continuation bytes. */
async function charactersBefore(bytes: Buffer, end: number, slice: TimeSlice): Promise<number> {
  let count = 0;
  for (let at = 0; at < end; at += 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) count += 1;
    if (at % 65_536 === 0 && slice.isOver) await slice.pause();
  }
  return count;
}

function tooLarge(limit: keyof JsonLimits, { values, valueBytes }: JsonLimits): ReplyError {
  const hint = 'Send it in several requests';
  return limit === 'values'
    ? refuse(413, `The JSON body has more than ${values} values`, { code: 'too_large', hint })
    : refuse(413, `A value of the JSON body is longer than ${valueBytes / 1024} KiB`, { code: 'too_large', hint });
}

function unreadable(): ReplyError {
  return refuse(400, 'There was an error parsing the body');
}
