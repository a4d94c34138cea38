import { ReplyError } from '../../src/lib/http-contract.ts';
import type { ApiRequest } from '../../src/lib/http-contract.ts';
import { MultipartError, MultipartReader } from '../compat/multipart.ts';
import type { OpenPart } from '../compat/multipart.ts';
import { StreamedFile } from '../compat/streamed-file.ts';
import { charsetDecoder } from './forms.ts';
import type { FormValues } from './forms.ts';
import { parseOptionsHeader } from './header-options.ts';
import { invalid, refuse } from './refuse.ts';

/**
 * Starts to read a body that is one file: a form with this field, or the file itself. A form is read up to the start
 * of its file.
 */
export async function streamFile(request: ApiRequest, field: string): Promise<FormValues> {
  const mediaType = request.header('content-type');
  const { word, options } = parseOptionsHeader(mediaType ?? '');
  const file = word === 'multipart/form-data' ? await fileIn(request, field, options) : rawFile(request, mediaType);
  return new Map(file === null ? [] : [[field, file]]);
}

function rawFile(request: ApiRequest, mediaType: string | undefined): StreamedFile | null {
  const length = request.header('content-length');
  if (length === undefined && request.header('transfer-encoding') === undefined) return null;
  if (length === '0') return null;
  const isPlain = request.header('content-encoding') === undefined;
  const said = { mediaType, length: length === undefined || !isPlain ? null : Number(length) };
  return new StreamedFile(said, request.streamBody());
}

/** The file of a form, skipping other fields; null for a form without a file. */
async function fileIn(
  request: ApiRequest,
  field: string,
  options: ReadonlyMap<string, string>,
): Promise<StreamedFile | null> {
  const boundary = options.get('boundary');
  if (boundary === undefined) throw refuse(400, 'Missing boundary in multipart.');
  const decode = charsetDecoder(options.get('charset') ?? 'utf-8');
  let name: string | null = null;
  let mediaType: string | undefined;
  let arrived: Buffer[] = [];
  let isComplete = false;
  const open: OpenPart = (disposition, contentType) => {
    const { options: said } = parseOptionsHeader(disposition ?? '');
    const isFile = said.get('filename') !== undefined && said.get('name') === field;
    if (!isFile) return passedOver;
    if (name !== null) throw severalFiles(field);
    name = decode(Buffer.from(said.get('filename') ?? '', 'latin1'));
    mediaType = contentType || undefined;
    return { write: (bytes: Buffer) => void arrived.push(Buffer.from(bytes)), end: () => void (isComplete = true) };
  };
  const read = piecesOf(request.streamBody(), new MultipartReader(boundary, open), () => {
    const pieces = arrived;
    arrived = [];
    return pieces;
  });
  const pieces = read[Symbol.asyncIterator]();
  // No piece arrives before the file begins.
  const first = await pieces.next();
  if (name === null) return null;
  async function* all(): AsyncGenerator<Buffer> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
    if (!isComplete)
      throw new ReplyError({ status: 400, body: { detail: 'The file ends early', code: 'invalid_http' } });
  }
  return new StreamedFile({ name, mediaType }, all());
}

function severalFiles(field: string): ReplyError {
  const fault = { type: 'too_long', loc: ['body', field], msg: 'Send one file per request', input: null };
  return invalid({ listed: [fault], count: 1 });
}

const passedOver = { write: () => {}, end: () => {} };

async function* piecesOf(
  body: AsyncIterable<Buffer>,
  reader: MultipartReader,
  take: () => readonly Buffer[],
): AsyncGenerator<Buffer> {
  try {
    for await (const piece of body) {
      reader.write(piece);
      yield* take();
    }
  } catch (error) {
    throw error instanceof MultipartError ? refuse(400, 'Invalid multipart data.') : error;
  }
}
