import { createVideoReader, isSameVideo } from '../analysis/index.ts';
import type { ImageAnalyzer, PreviewFormat } from '../analysis/index.ts';
import type { Database } from '../backing/index.ts';
import type { SourceOpener, SourceReader } from '../catalog/index.ts';
import { ElementError } from '../lib/errors.ts';
import { FairSemaphore } from '../lib/fair-semaphore.ts';
import { sha256 } from '../lib/sha256.ts';
import { forTenant } from '../tenants/index.ts';
import type { Shown } from './address.ts';
import { findPicture, findVideoFile } from './find-picture.ts';
import { fit } from './ladder.ts';
import type { PreviewKind, PreviewWidth } from './ladder.ts';

/** Time limit for making a preview. */
export const makeMs = 60_000;
/** Videos that are read at the same time, each in a separate process. */
const parallelVideos = 2;
/** Maximum number of waiting videos per tenant. */
const waitingVideos = 64;

export type MakerDeps = Readonly<{
  database: Database;
  readSource: SourceReader;
  openSource: SourceOpener;
  imageAnalyzer: ImageAnalyzer;
}>;

/** One preview: what it shows, its width and its format. */
export type WantedPreview = Readonly<{ shown: Shown; kind: PreviewKind; width: PreviewWidth; format: PreviewFormat }>;

/** Previews of a picture in several widths, which no request is waiting for. */
export type WantedAhead = Readonly<{
  shown: Shown;
  widths: readonly PreviewWidth[];
  format: PreviewFormat;
  signal: AbortSignal;
}>;

/** A preview's file. If its source is no longer the file that was stored, the preview must not be stored anywhere. */
export type Preview = Readonly<{ bytes: Buffer; isCurrent: boolean }>;

/** Makes previews from the files of records. */
export type PreviewMaker = Readonly<{
  /**
   * Null if the record or its picture is gone.
   *
   * @throws ElementError if the source cannot be read or decoded; AppError `unavailable` if too many requests are
   * waiting.
   */
  make(wanted: WantedPreview): Promise<Preview | null>;
  /**
   * Makes previews from a single read of the source, after everything that requests are waiting for. @throws as
   * `make` does
   */
  makeAhead(wanted: WantedAhead): Promise<readonly Preview[]>;
  close(): void;
}>;

/** Decodes pictures in the analysis processes, and videos in separate processes. */
export function openPreviewMaker({ database, readSource, openSource, imageAnalyzer }: MakerDeps): PreviewMaker {
  const videos = createVideoReader();
  const turns = new FairSemaphore({
    name: 'frames of videos',
    capacity: parallelVideos,
    queuePerOwner: waitingVideos,
    waitMs: makeMs,
  });

  async function makePictures(
    { shown: { tenantId, resource, rowId, fileId }, widths, format, signal }: WantedAhead,
    isUrgent: boolean,
  ): Promise<readonly Preview[]> {
    const picture = await findPicture(forTenant(database, tenantId), resource, rowId);
    if (picture === null) return [];
    const handling = { owner: tenantId, isUrgent, signal };
    const convert = async (bytes: Buffer, width: PreviewWidth) =>
      (await imageAnalyzer.convert({ bytes, conversion: { to: 'preview', width, format }, ...handling })).bytes;
    const convertAll = (bytes: Buffer) => Promise.all(widths.map((width) => convert(bytes, width)));
    if ('poster' in picture) {
      const isCurrent = picture.fileId === fileId;
      return (await convertAll(picture.poster)).map((bytes) => ({ bytes, isCurrent }));
    }
    return readSource.use(picture.source, { owner: tenantId, signal }, async (bytes) => {
      const [previews, digest] = await Promise.all([convertAll(bytes), sha256(bytes)]);
      return previews.map((preview) => ({ bytes: preview, isCurrent: digest.startsWith(fileId) }));
    });
  }

  async function makePicture({ shown, width, format }: WantedPreview): Promise<Preview | null> {
    const signal = AbortSignal.timeout(makeMs);
    const [preview = null] = await makePictures({ shown, widths: [width], format, signal }, true);
    return preview;
  }

  async function makeFilmstrip({ shown: { tenantId, rowId }, width, format }: WantedPreview): Promise<Preview | null> {
    const video = await findVideoFile(forTenant(database, tenantId), rowId);
    if (video === null) return null;
    const signal = AbortSignal.timeout(makeMs);
    return turns.run(
      tenantId,
      async () => {
        const opened = await openSource(video.source, { owner: tenantId, signal });
        try {
          const wants = { ...fit([video.width, video.height], width), format };
          const { facts, filmstrip, fault } = await videos.read(opened, { wants, signal });
          if (filmstrip === null)
            throw new ElementError('decode_failed', fault ?? 'none of its frames could be decoded');
          return { bytes: Buffer.from(filmstrip), isCurrent: isSameVideo(video, facts, opened.size) };
        } finally {
          await opened.close();
        }
      },
      signal,
    );
  }

  const makers = { picture: makePicture, filmstrip: makeFilmstrip } satisfies Record<PreviewKind, PreviewMaker['make']>;
  return {
    make: (wanted) => makers[wanted.kind](wanted),
    makeAhead: (wanted) => makePictures(wanted, false),
    close: () => videos.close(),
  };
}
