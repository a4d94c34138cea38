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
import { maxFileBytes, openPath, readPath } from './read-path.ts';

export type { OpenSource } from './open-source.ts';

/** For whom a source is read: the tenant, by id. */
export type Reading = Readonly<{ owner: number; signal?: AbortSignal }>;

/** Reads sources as a whole, within the limits and guards of the configuration and a budget of memory. */
export type SourceReader = Readonly<{
  /**
   * Does something with the bytes that a source names. They count as its owner's until that is done: an owner that
   * has much in memory waits, before anything is read.
   *
   * @throws ElementError where they cannot be read; what `work` throws; the reason of the signal.
   */
  use: <T>(source: Source, reading: Reading, work: (bytes: Buffer) => Promise<T>) => Promise<T>;
}>;

/** Memory for the bytes of sources, in one process: for requests, and for what is stored and analyzed. */
const sourceBytes: ByteBudgetOptions = { all: 512 * 2 ** 20, each: 128 * 2 ** 20, first: 8 * 2 ** 20 };

/** Opens a source to read parts of it, within the same limits and guards; the caller closes it. */
export type SourceOpener = (source: Source, signal?: AbortSignal) => Promise<OpenSource>;

export function createSourceReader(
  { mediaRoots, sourceAllow }: Config,
  budget = new ByteBudget(sourceBytes),
): SourceReader {
  const guard = createAddressGuard(sourceAllow);
  const read = ({ kind, value }: Source, maxBytes: number, signal?: AbortSignal) =>
    kind === 'url'
      ? fetchUrl(value, { guard, limits: { ...fetchLimits, maxBytes }, ...(signal && { signal }) })
      : readPath(value, mediaRoots, maxBytes);

  async function useWithin<T>(
    room: number,
    source: Source,
    { owner, signal }: Reading,
    work: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    const hold = await budget.hold(owner, room, signal);
    try {
      const bytes = await read(source, room, signal);
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
        // Most files are small. How large another one is, is known when it was asked for: then it waits for its room.
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

/** What is done with the bytes failed, which says nothing of reading them. */
class WorkError extends Error {}

export function createSourceOpener({ mediaRoots, sourceAllow }: Config): SourceOpener {
  const guard = createAddressGuard(sourceAllow);
  return ({ kind, value }, signal) =>
    kind === 'url' ? openUrl(value, { guard, ...(signal && { signal }) }) : openPath(value, mediaRoots);
}
