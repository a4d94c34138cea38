import { randomUUID } from 'node:crypto';
import type {
  CheckedElement,
  Fingerprint,
  Resource,
  Source,
  SourceFacts,
  SourceOpener,
  SourceReader,
  StoredFiles,
} from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantIndexes } from '../../similarity/index.ts';
import { decodeCost, isLarge } from '../../analysis/index.ts';
import type { ImageAnalyzer, VideoReader } from '../../analysis/index.ts';
import type { SourceBytesCache } from '../analyze/source-bytes-cache.ts';
import { fingerprintFrom, fingerprintNames } from '../duplicates/on-duplicate.ts';
import type { OnDuplicate } from '../duplicates/on-duplicate.ts';
import { largeFileBytes } from '../limits.ts';
import type { StoreLimits } from './limits.ts';

/** Dependencies for writing records, besides the database. */
export type WriteDeps = Readonly<{
  readSource: SourceReader;
  openSource: SourceOpener;
  /** Decodes pictures. */
  imageAnalyzer: ImageAnalyzer;
  readVideo: VideoReader['read'];
  logger: Logger;
  /** Called with records whose file was stored. */
  onFiles?: (files: StoredFiles) => void;
  /** Set if stored pictures are also analyzed. */
  sourceBytes?: SourceBytesCache;
  /** Finds pictures that show the same thing; without it, only identical files are found. */
  similar?: TenantIndexes | undefined;
}>;

type Options = Readonly<{ limits: StoreLimits; signal: AbortSignal; onDuplicate: OnDuplicate }>;

/** Facts of a source, and the fingerprint of a picture that is to be compared with others. */
type SourceReading = Readonly<{ facts: SourceFacts; fingerprint: Fingerprint | null }>;

type FactsReader = (tenantId: number, source: Source, deps: WriteDeps, options: Options) => Promise<SourceReading>;

/** Reads the facts of an element's source; null if the write names none. */
export async function readFacts(
  resource: Resource,
  tenantId: number,
  { source }: CheckedElement,
  deps: WriteDeps,
  options: Options,
): Promise<SourceReading | null> {
  return source === null ? null : readers[resource](tenantId, source, deps, options);
}

const readers: Readonly<Record<Resource, FactsReader>> = { image: readImage, video: readVideo };

async function readImage(
  tenantId: number,
  source: Source,
  { readSource, imageAnalyzer, sourceBytes }: WriteDeps,
  { limits, signal, onDuplicate }: Options,
): Promise<SourceReading> {
  const want = onDuplicate === 'keep' ? [] : fingerprintNames;
  const release = await limits.reading.acquire(tenantId, signal);
  const read = readSource.use(source, { owner: tenantId, signal }, async (bytes) => {
    const decode = () => imageAnalyzer.analyze({ bytes, want, owner: tenantId, signal });
    const decoded = await limits.decoding[decoderOf(bytes)].begin(tenantId, decode);
    // Bytes that wait for a decoder hold on to their reading slot; once a decoder has them, the slot is free.
    release();
    const { image, outcomes } = await decoded.result;
    sourceBytes?.give(tenantId, image.checksum, bytes);
    return { facts: image, fingerprint: fingerprintFrom(outcomes) };
  });
  return read.finally(release);
}

function decoderOf(bytes: Buffer): keyof StoreLimits['decoding'] {
  if (isLarge(decodeCost(bytes))) return 'apart';
  return bytes.length < largeFileBytes ? 'small' : 'large';
}

/** A video is never read as a whole, so reading and decoding are one step. */
async function readVideo(
  tenantId: number,
  source: Source,
  { openSource, readVideo: read }: WriteDeps,
  { limits, signal }: Options,
): Promise<SourceReading> {
  return limits.videos.run(tenantId, async () => {
    signal.throwIfAborted();
    const opened = await openSource(source, { owner: tenantId, signal });
    try {
      const { facts, poster, fault } = await read(opened, { wants: 'poster', signal });
      const still = {
        bytesRead: opened.bytesRead(),
        reading: randomUUID(),
        poster: poster === null ? null : Buffer.from(poster.jpeg).toString('base64'),
        aiStatus: fault === null ? 'ready' : 'failed',
        aiReason: fault,
      };
      return { facts: { ...facts, byteSize: opened.size, ...still }, fingerprint: null };
    } finally {
      await opened.close();
    }
  });
}
