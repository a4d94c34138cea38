import { parseOptionsHeader } from './header-options.ts';
import { MultipartError, MultipartReader } from '../compat/multipart.ts';
import type { PartSink } from '../compat/multipart.ts';
import { refuse } from './refuse.ts';
import type { ApiRequest, ReplyError } from '../../src/lib/http-contract.ts';
import { UrlencodedReader } from '../compat/urlencoded.ts';
import { UploadedFile } from '../compat/values.ts';
import type { StreamedFile } from '../compat/streamed-file.ts';

/** Limits of a form. */
const formLimits = {
  fields: 1000,
  files: 1000,
  textBytes: 2 ** 20,
  fileBytes: 25 * 2 ** 20,
  /** A whole urlencoded form, which has no files. */
  urlencodedBytes: 4 * 2 ** 20,
} as const;

/** The last value of each name. */
export type FormValues = ReadonlyMap<string, string | UploadedFile | StreamedFile>;

/**
 * Reads a form as it arrives. Keeps the fields that the endpoint knows; others are only counted. A body of another
 * type is an empty form.
 *
 * @throws ReplyError 400 if it is malformed or exceeds a limit, 413 if a file is too large.
 */
export async function readForm(request: ApiRequest, names: ReadonlySet<string>): Promise<FormValues> {
  const { word, options } = parseOptionsHeader(request.header('content-type') ?? '');
  const form = new Form(names);
  if (word === 'application/x-www-form-urlencoded') {
    const onTooLong = () => {
      throw refuse(400, `Field exceeded maximum size of ${formLimits.textBytes / 1024}KB.`);
    };
    const reader = new UrlencodedReader((name, value) => form.addField(name, value), formLimits.textBytes, onTooLong);
    let size = 0;
    await request.readPieces((piece) => {
      size += piece.length;
      if (size > formLimits.urlencodedBytes) throw formTooLarge();
      reader.write(piece);
    });
    reader.end();
  } else if (word === 'multipart/form-data') {
    await readMultipart(request, options, form);
  }
  return form.values;
}

async function readMultipart(request: ApiRequest, options: ReadonlyMap<string, string>, form: Form): Promise<void> {
  const boundary = options.get('boundary');
  if (boundary === undefined) throw refuse(400, 'Missing boundary in multipart.');
  const decode = charsetDecoder(options.get('charset') ?? 'utf-8');
  try {
    const reader = new MultipartReader(boundary, (disposition) => form.openPart(disposition, decode));
    await request.readPieces((piece) => reader.write(piece));
  } catch (error) {
    throw error instanceof MultipartError ? refuse(400, 'Invalid multipart data.') : error;
  }
}

class Form {
  readonly values = new Map<string, string | UploadedFile>();
  readonly #names: ReadonlySet<string>;
  #fields = 0;
  #files = 0;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  addField(name: string, value: string): void {
    this.#countField();
    this.#set(name, value);
  }

  openPart(disposition: string | undefined, decode: (bytes: Buffer) => string): PartSink {
    const { options } = parseOptionsHeader(disposition ?? '');
    const name = options.get('name');
    if (name === undefined) throw refuse(400, 'The Content-Disposition header field "name" must be provided.');
    const key = decode(Buffer.from(name, 'latin1'));
    const fileName = options.get('filename');
    if (fileName === undefined) {
      this.#countField();
      return collect(formLimits.textBytes, partTooLong, this.#names.has(key), (bytes) => this.#set(key, decode(bytes)));
    }
    this.#files += 1;
    if (this.#files > formLimits.files) throw tooMany('files', formLimits.files);
    const decoded = decode(Buffer.from(fileName, 'latin1'));
    return collect(formLimits.fileBytes, fileTooLarge, this.#names.has(key), (bytes) =>
      this.#set(key, new UploadedFile(decoded, bytes)),
    );
  }

  #countField(): void {
    this.#fields += 1;
    if (this.#fields > formLimits.fields) throw tooMany('fields', formLimits.fields);
  }

  #set(name: string, value: string | UploadedFile): void {
    if (this.#names.has(name)) this.values.set(name, value);
  }
}

/** A sink that collects its content and passes it to `finish`, or discards it. */
function collect(
  maxBytes: number,
  tooLarge: () => ReplyError,
  keeps: boolean,
  finish: (bytes: Buffer) => void,
): PartSink {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    write(bytes) {
      size += bytes.length;
      if (size > maxBytes) throw tooLarge();
      if (keeps) pieces.push(bytes);
    },
    end: () => finish(Buffer.concat(pieces)),
  };
}

function tooMany(what: string, limit: number): ReplyError {
  return refuse(400, `Too many ${what}. Maximum number of ${what} is ${limit}.`);
}

function partTooLong(): ReplyError {
  return refuse(400, `Part exceeded maximum size of ${formLimits.textBytes / 1024}KB.`);
}

function formTooLarge(): ReplyError {
  const detail = `A form without files is larger than ${formLimits.urlencodedBytes / 2 ** 20} MiB`;
  return refuse(413, detail, { code: 'too_large' });
}

function fileTooLarge(): ReplyError {
  return refuse(413, `The file is larger than ${formLimits.fileBytes / 2 ** 20} MiB`, { code: 'too_large' });
}

/** Returns the decoder of a charset. Invalid bytes and unknown charsets are read as Latin-1. */
export function charsetDecoder(charset: string): (bytes: Buffer) => string {
  const latin1 = (bytes: Buffer) => bytes.toString('latin1');
  if (/^(?:us-?ascii|ascii|latin-?1|iso-?8859-?1)$/i.test(charset)) return latin1;
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  } catch {
    return latin1;
  }
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return latin1(bytes);
    }
  };
}
