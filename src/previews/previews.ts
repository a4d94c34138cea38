import type { PreviewFormat } from '../analysis/index.ts';
import type { Notifications } from '../backing/index.ts';
import type { AskedPart, SourceStreamer, StoredFiles } from '../catalog/index.ts';
import type { Answers } from '../lib/answers.ts';
import { loadOnce } from '../lib/load-once.ts';
import type { Logger } from '../observability/logger.ts';
import type { FileStore } from '../storage/index.ts';
import { serviceKey } from '../tenants/index.ts';
import { expiryAt, signAddress, verifyAddress } from './address.ts';
import type { Address, AddressUse, Shown } from './address.ts';
import type { PreviewKind, PreviewWidth } from './ladder.ts';
import { openKeptPreviews } from './kept-previews.ts';
import { startMakingAhead } from './make-ahead.ts';
import { openPreviewMaker } from './make-preview.ts';
import type { MakerDeps, Preview, WantedPreview } from './make-preview.ts';
import { startRemovals } from './removals.ts';
import { createFileSender } from './video-files.ts';
import type { VideoStream } from './video-files.ts';

type PreviewDeps = MakerDeps &
  Readonly<{
    streamSource: SourceStreamer;
    store: FileStore;
    notifications: Notifications;
    logger: Logger;
    /** Whether some previews are made right after storing, while `answers` shows no running requests. */
    isEager?: boolean;
    answers: Answers;
    /** Whether all processes share the store. */
    isShared?: boolean;
  }>;

/** A preview without its record. The path names the format, unless it is negotiated with the client. */
type PreviewPath = Readonly<{ kind: PreviewKind; width: PreviewWidth; format?: PreviewFormat | undefined }>;

/** Previews of the service's pictures and videos: their addresses, and their files. */
export type Previews = Readonly<{
  /** The path that shows a picture, `/previews/…/640`, or the filmstrip of a video, `/previews/…/filmstrip-320.webp`. */
  pathOf(shown: Shown, path: PreviewPath): Promise<string>;
  /** The path of a video's file: `/files/…`. */
  filePathOf(shown: Shown): Promise<string>;
  /** The content that is signed in a path; null if it was altered, expired, or is for another use. */
  verify(use: AddressUse, text: string): Promise<Address | null>;
  /**
   * The file, made if needed; concurrent requests for it share the work. Null if the record or its picture is gone.
   *
   * @throws ElementError if the source cannot be read or decoded; AppError `unavailable` if too many requests are
   * waiting.
   */
  read(wanted: WantedPreview): Promise<Preview | null>;
  /**
   * The file of a video, or a range of it, to be sent; null if the record is gone.
   *
   * @throws ElementError if it cannot be read; AppError `rate_limited` or `unavailable` if too many are being sent.
   */
  stream(shown: Shown, asked: AskedPart, signal: AbortSignal): Promise<VideoStream | null>;
  /** Takes note of records whose file was stored; if configured, some of their previews are made. */
  noteStored(records: StoredFiles): void;
  close(): Promise<void>;
}>;

/** Opens the previews of a service. */
export function openPreviews({
  streamSource,
  store,
  logger,
  isEager = false,
  isShared = false,
  ...deps
}: PreviewDeps): Previews {
  const { database, notifications, answers } = deps;
  const key = loadOnce(() => serviceKey(database, 'previews'));
  const maker = openPreviewMaker(deps);
  const { read, makeAhead, forget } = openKeptPreviews(store, maker, logger);
  const ahead = isEager ? startMakingAhead({ database, answers, logger, makeAhead }) : null;
  const sign = async (use: AddressUse, shown: Shown) => signAddress(await key(), use, shown, expiryAt(Date.now()));

  const removals = startRemovals({ database, notifications, logger, isShared, forget });

  return {
    async pathOf(shown, { kind, width, format }) {
      const name = kind === 'filmstrip' ? `filmstrip-${width}` : String(width);
      return `/previews/${await sign('preview', shown)}/${name}${format === undefined ? '' : `.${format}`}`;
    },
    filePathOf: async (shown) => `/files/${await sign('file', shown)}`,
    verify: async (use, text) => verifyAddress(await key(), use, text, Date.now()),
    read,
    stream: createFileSender(database, streamSource),
    noteStored: (records) => ahead?.add(records),
    async close() {
      await removals.close();
      await ahead?.close();
      maker.close();
      await store.close();
    },
  };
}
