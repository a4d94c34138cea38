import type { Database } from '../backing/index.ts';
import type { AskedPart, SourceStream, SourceStreamer } from '../catalog/index.ts';
import { AppError } from '../lib/errors.ts';
import { FairSemaphore } from '../lib/fair-semaphore.ts';
import { forTenant } from '../tenants/index.ts';
import type { Shown } from './address.ts';
import { findVideoFile } from './find-picture.ts';

/**
 * Maximum number of files that one process sends at the same time, in total and per tenant. Each takes a file
 * descriptor or a connection.
 */
const mostStreams = { capacity: 256, perOwner: 64 } as const;

/** Media types of the containers that can be stored. */
const types: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  ts: 'video/mp2t',
};

/** The media type of a video in a container. */
export function videoType(container: string): string {
  return types[container] ?? 'application/octet-stream';
}

/** A video's file while it is being sent, and its media type. */
export type VideoStream = SourceStream & Readonly<{ type: string }>;

/** Opens files of videos to send them on, up to the limit of `mostStreams`. */
export function createFileSender(database: Database, streamSource: SourceStreamer) {
  const places = new FairSemaphore({ name: 'files', ...mostStreams });

  return async ({ tenantId, rowId }: Shown, asked: AskedPart, signal: AbortSignal): Promise<VideoStream | null> => {
    const release = places.tryAcquire(tenantId);
    if (release === null) throw new AppError('unavailable', 'Too many files are being sent');
    try {
      const video = await findVideoFile(forTenant(database, tenantId), rowId);
      if (video === null) {
        release();
        return null;
      }
      const stream = await streamSource(video.source, asked, { owner: tenantId, signal });
      const close = () => stream.close().finally(release);
      return { ...stream, type: videoType(video.container), close };
    } catch (error) {
      release();
      throw error;
    }
  };
}
