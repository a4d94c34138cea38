import type { Config } from '../../config/config.ts';
import type { Source } from '../check-element.ts';
import { ElementError } from '../../lib/errors.ts';
import { createAddressGuard } from './address-guard.ts';
import { ByteBudget } from './byte-budget.ts';
import type { ByteBudgetOptions } from './byte-budget.ts';
import { fetchUrl } from './fetch-url.ts';
import { fetchLimits } from './http-request.ts';
import type { OpenSource } from './open-source.ts';
import { openUrl } from './open-url.ts';
import { isUploadPath } from '../../uploads/index.ts';
import type { Uploads } from '../../uploads/index.ts';
import { maxFileBytes, openPath, readPath } from './read-path.ts';
import type { AskedPart, SourceStream } from './source-stream.ts';
import { streamPath } from './stream-path.ts';
import { streamUrl } from './stream-url.ts';
import { openUploadedFile, readUploadedFile, streamUploadedFile } from './read-upload.ts';

export type { AskedPart, SourceStream } from './source-stream.ts';

/** The tenant (by id) that a source is read for, and a signal that cancels it. */
type SourceHandling = Readonly<{ owner: number; signal?: AbortSignal }>;

/** Reads whole sources, within the configured limits, guards and memory budget. */
export type SourceReader = Readonly<{
  /**
   * Passes the bytes of a source to `work`. Their owner counts as holding them until `work` is done; an owner that
   * already holds much memory waits before anything is read.
   *
   * @throws ElementError if the source cannot be read; what `work` throws; the reason of the signal.
   */
  use: <T>(source: Source, reading: SourceHandling, work: (bytes: Buffer) => Promise<T>) => Promise<T>;
}>;

/** Memory for source bytes in one process: for requests, for storing and for analyzing. */
const sourceBytes: ByteBudgetOptions = { all: 512 * 2 ** 20, each: 128 * 2 ** 20, first: 8 * 2 ** 20 };

/** Opens a source to read parts of it, within the same limits and guards. The caller closes it. */
export type SourceOpener = (source: Source, handling: SourceHandling) => Promise<OpenSource>;

/** What sources are read from: the configuration, and uploaded files if there are any. */
type SourceDeps = Pick<Config, 'mediaRoots' | 'sourceAllow'> & Readonly<{ uploads?: Uploads | undefined }>;

/** Opens a source, or a part of it, to forward it, within the same guards. The caller closes it. */
export type SourceStreamer = (source: Source, asked: AskedPart, handling: SourceHandling) => Promise<SourceStream>;

export function createSourceReader(
  { mediaRoots, sourceAllow, uploads }: SourceDeps,
  budget = new ByteBudget(sourceBytes),
): SourceReader {
  const guard = createAddressGuard(sourceAllow);
  const read = ({ kind, value }: Source, maxBytes: number, { owner, signal }: SourceHandling) => {
    if (kind === 'url')
      return fetchUrl(value, { guard, limits: { ...fetchLimits, maxBytes }, ...(signal && { signal }) });
    return isUploadPath(value)
      ? readUploadedFile(uploads, owner, value, maxBytes)
      : readPath(value, mediaRoots, maxBytes);
  };

  async function useWithin<T>(
    room: number,
    source: Source,
    reading: SourceHandling,
    work: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    const hold = await budget.hold(reading.owner, room, reading.signal);
    try {
      const bytes = await read(source, room, reading);
      hold.shrinkTo(bytes.length);
      return await work(bytes).catch((error: unknown) => {
        throw new WorkError('work failed', { cause: error });
      });
    } finally {
      hold.release();
    }
  }

  return {
    async use(source, reading, work) {
      const most = source.kind === 'url' ? fetchLimits.maxBytes : maxFileBytes;
      try {
        // Most files are small. A larger one is only recognized while it is being read; it is then read again, with the
        // maximum reserved.
        return await useWithin(sourceBytes.first, source, reading, work).catch((error: unknown) => {
          if (!(error instanceof ElementError) || error.code !== 'too_large') throw error;
          return useWithin(most, source, reading, work);
        });
      } catch (error) {
        throw error instanceof WorkError ? error.cause : error;
      }
    },
  };
}

/** Marks an error of `work`, as opposed to one of reading. */
class WorkError extends Error {}

export function createSourceOpener({ mediaRoots, sourceAllow, uploads }: SourceDeps): SourceOpener {
  const guard = createAddressGuard(sourceAllow);
  return ({ kind, value }, { owner, signal }) => {
    if (kind === 'url') return openUrl(value, { guard, ...(signal && { signal }) });
    return isUploadPath(value) ? openUploadedFile(uploads, owner, value) : openPath(value, mediaRoots);
  };
}

export function createSourceStreamer({ mediaRoots, sourceAllow, uploads }: SourceDeps): SourceStreamer {
  const guard = createAddressGuard(sourceAllow);
  return ({ kind, value }, asked, { owner, signal }) => {
    if (kind === 'url') return streamUrl(value, { guard, ...(signal && { signal }) }, asked);
    return isUploadPath(value)
      ? streamUploadedFile(uploads, owner, value, asked)
      : streamPath(value, mediaRoots, asked);
  };
}
