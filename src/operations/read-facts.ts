import { randomUUID } from 'node:crypto';
import type { CheckedElement, Resource, Source, SourceFacts, SourceOpener, SourceReader } from '../catalog/index.ts';
import type { Logger } from '../logger.ts';
import { decodeImage } from '../vision/index.ts';
import type { VideoReader } from '../vision/index.ts';
import type { Handover } from './analysis/handover.ts';
import type { ChunkOptions } from './prepare-chunk.ts';

/** What writing records needs besides the database. */
export type WriteDeps = Readonly<{
  readSource: SourceReader;
  openSource: SourceOpener;
  readVideo: VideoReader['read'];
  logger: Logger;
  /** Where what is stored is analysed as well. */
  handover?: Handover;
}>;

type Options = Pick<ChunkOptions, 'limits' | 'signal'>;

type FactsReader = (tenantId: number, source: Source, deps: WriteDeps, options: Options) => Promise<SourceFacts>;

/** What the source of an element says of it; null where the write names none. */
export async function readFacts(
  resource: Resource,
  tenantId: number,
  { source }: CheckedElement,
  deps: WriteDeps,
  options: Options,
): Promise<SourceFacts | null> {
  return source === null ? null : readers[resource](tenantId, source, deps, options);
}

const readers: Readonly<Record<Resource, FactsReader>> = { image: readImage, video: readVideo };

async function readImage(
  tenantId: number,
  source: Source,
  { readSource, handover }: WriteDeps,
  { limits, signal }: Options,
): Promise<SourceFacts> {
  // Decoding is inside the reading: bytes that wait for a decoder count as being read.
  return limits.reading(tenantId, async () => {
    signal.throwIfAborted();
    const bytes = await readSource(source, signal);
    const facts = await limits.decoding(tenantId, () => decodeImage(bytes));
    handover?.give(tenantId, facts.checksum, bytes);
    return facts;
  });
}

/** A video is not read as a whole, so reading and decoding are one. */
async function readVideo(
  tenantId: number,
  source: Source,
  { openSource, readVideo: read }: WriteDeps,
  { limits, signal }: Options,
): Promise<SourceFacts> {
  return limits.videos(tenantId, async () => {
    signal.throwIfAborted();
    const opened = await openSource(source, signal);
    try {
      const { facts, poster, fault } = await read(opened, { wants: 'poster', signal });
      return {
        ...facts,
        byteSize: opened.size,
        bytesRead: opened.bytesRead(),
        reading: randomUUID(),
        poster: poster === null ? null : Buffer.from(poster.jpeg).toString('base64'),
        aiStatus: fault === null ? 'ready' : 'failed',
        aiReason: fault,
      };
    } finally {
      await opened.close();
    }
  });
}
