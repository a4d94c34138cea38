import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { ElementError } from '../lib/errors.ts';
import { openUnnamedFile } from '../lib/unnamed-file.ts';
import type { RecordRow, Resource, Source, SourceReader, SourceStreamer } from '../catalog/index.ts';
import type { Column } from './columns.ts';
import { createFileNames, endingOf } from './file-names.ts';
import { valuesOf } from './text-sink.ts';
import type { ExportSink } from './text-sink.ts';
import type { ExportWriter } from './write-export.ts';
import { embedMetadata, sidecarOf } from './xmp/embed.ts';

/** What reading the files of an archive depends on. */
export type ZipDeps = Readonly<{
  readSource: SourceReader;
  streamSource: SourceStreamer;
  resource: Resource;
  columns: readonly Column[];
  writer: Pick<ExportWriter, 'write'>;
  /** The tenant that sources are read for. */
  owner: number;
  signal: AbortSignal;
}>;

/** Fields of a record that the archive needs in addition to the exported ones. */
export const zipFields: Readonly<Record<Resource, readonly string[]>> = {
  image: ['imageId', 'src', 'srcPath'],
  video: ['videoId', 'src', 'srcPath', 'container'],
};

const folder = 'files/';

/**
 * Writes the files of records, with their metadata, into an archive, and the records as `records.ndjson`. Files are
 * read one after the other; a picture is in memory as a whole while it is written, a video only piece by piece.
 */
export function openZipSink(deps: ZipDeps): ExportSink {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error) => output.destroy(error)); // A file that cannot be read.
  const written = writeAll(zip, deps.writer);
  written.catch(() => {}); // The next addition throws the error.
  const manifest = openUnnamedFile();
  manifest.catch(() => {}); // The first record throws the error.
  const nameOf = createFileNames();
  const add = (name: string, parts: AsyncIterable<Uint8Array>) => addEntry(zip, written, name, parts);
  const note = async (record: RecordRow, more: readonly (readonly [string, unknown])[]) => {
    const line = `${JSON.stringify(Object.fromEntries([...valuesOf(record, deps.columns), ...more]))}\n`;
    await (await manifest).writeFile(line);
  };

  return {
    async add(record) {
      const id = String((record as Readonly<Record<string, unknown>>)[`${deps.resource}Id`]);
      try {
        const put = deps.resource === 'image' ? addImage : addVideo;
        const file = await put(deps, record, (ending) => folder + nameOf(id, ending), add);
        await note(record, [['file', file]]);
      } catch (error) {
        if (error instanceof ElementError) {
          await note(record, [
            ['file', null],
            ['error', { code: error.code, message: error.message }],
          ]);
        }
        throw error;
      }
    },
    async end() {
      await add('records.ndjson', (await manifest).createReadStream({ start: 0, autoClose: false }));
      zip.end();
      await written;
    },
    async close() {
      output.destroy();
      await manifest.then((file) => file.close()).catch(() => {});
    },
  };
}

type Add = (name: string, parts: AsyncIterable<Uint8Array>) => Promise<void>;
type Put = (deps: ZipDeps, record: RecordRow, nameFor: (ending: string) => string, add: Add) => Promise<string>;

const addImage: Put = ({ readSource, owner, signal }, record, nameFor, add) =>
  readSource.use(sourceOf(record), { owner, signal }, async (bytes) => {
    const { parts, sidecar } = embedMetadata(bytes, record);
    const name = nameFor(endingOf(bytes));
    await add(name, piecesOf(parts));
    if (sidecar !== null) await add(`${name}.xmp`, piecesOf([sidecar]));
    return name;
  });

const addVideo: Put = async ({ streamSource, owner, signal }, record, nameFor, add) => {
  const stream = await streamSource(sourceOf(record), {}, { owner, signal });
  const name = nameFor(String((record as { container?: unknown }).container ?? 'bin'));
  let fault: unknown = null;
  /** If reading fails, the file ends early and the error is thrown later, so that the archive stays readable. */
  async function* pieces() {
    try {
      yield* stream.bytes();
    } catch (error) {
      fault = error;
    }
  }
  try {
    await add(name, pieces());
  } finally {
    await stream.close();
  }
  if (fault !== null) throw fault;
  const sidecar = sidecarOf(record);
  if (sidecar !== null) await add(`${name}.xmp`, piecesOf([sidecar]));
  return name;
};

async function* piecesOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) if (part.length > 0) yield part;
}

/** Adds a file and waits until it has been read. Media files are compressed already. */
async function addEntry(
  zip: ZipFile,
  written: Promise<void>,
  name: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  const stream = Readable.from(parts, { objectMode: false });
  zip.addReadStream(stream, name, { compress: name.endsWith('.ndjson'), mtime: new Date() });
  await Promise.race([finished(stream), written]);
}

/** Passes on the bytes of the archive no faster than they are stored. */
async function writeAll(zip: ZipFile, writer: Pick<ExportWriter, 'write'>): Promise<void> {
  for await (const piece of zip.outputStream) await writer.write(piece as Buffer);
}

/** @throws ElementError if the record has no source. */
function sourceOf(record: RecordRow): Source {
  const { src, srcPath } = record as Readonly<{ src?: string | null; srcPath?: string | null }>;
  if (srcPath) return { kind: 'path', value: srcPath };
  if (src) return { kind: 'url', value: src };
  throw new ElementError('source_missing', 'the record has no source');
}
