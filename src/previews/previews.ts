import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ImageAnalyzer, PreviewFormat } from '../analysis/index.ts';
import type { Database } from '../backing/index.ts';
import type { SourceReader } from '../catalog/index.ts';
import { loadOnce } from '../lib/load-once.ts';
import type { Logger } from '../observability/logger.ts';
import { forTenant, serviceKey } from '../tenants/index.ts';
import { expiryAt, sign, verify } from './address.ts';
import type { Address, Shown } from './address.ts';
import { findPicture } from './find-picture.ts';
import type { PreviewWidth } from './ladder.ts';
import type { PreviewStore } from './store.ts';

/** Previews that were asked for last stay in memory. */
const memoryBytes = 32 * 2 ** 20;
/** A preview is made within this time or not at all. */
const makeMs = 60_000;

export type PreviewDeps = Readonly<{
  database: Database;
  readSource: SourceReader;
  imageAnalyzer: ImageAnalyzer;
  store: PreviewStore;
  logger: Logger;
}>;

/** One preview: what it shows, how wide, in which format. */
export type Wanted = Readonly<{ shown: Shown; width: PreviewWidth; format: PreviewFormat }>;

/** A preview's file. One whose source is no longer the file that was stored is not kept, by nobody. */
export type Preview = Readonly<{ bytes: Buffer; isCurrent: boolean }>;

/** Previews of the service's pictures: their addresses, and their files. */
export type Previews = Readonly<{
  /** The path that shows a picture: `/previews/…/640`, with `.webp` or another format where that is not left open. */
  pathOf(shown: Shown, width: PreviewWidth, format?: PreviewFormat): Promise<string>;
  /** What is signed in a path; null where it is altered or expired. */
  verify(text: string): Promise<Address | null>;
  /**
   * The file, made if need be; whoever asks for the same one meanwhile gets the same one. Null where the record, or its
   * picture, is gone.
   *
   * @throws ElementError where the source cannot be read or decoded; AppError `unavailable` where too much is waiting.
   */
  read(wanted: Wanted): Promise<Preview | null>;
  close(): Promise<void>;
}>;

/** Opens the previews of a service. */
export function openPreviews({ database, readSource, imageAnalyzer, store, logger }: PreviewDeps): Previews {
  const key = loadOnce(() => serviceKey(database, 'previews'));
  const recent = new LRUCache<string, Buffer>({ maxSize: memoryBytes, sizeCalculation: ({ length }) => length });
  const making = new Map<string, Promise<Preview | null>>();

  async function make({ shown, width, format }: Wanted, name: string): Promise<Preview | null> {
    const kept = await store.read(name);
    if (kept !== null) return { bytes: kept, isCurrent: true };
    const { tenantId, resource, rowId, checksum } = shown;
    const picture = await findPicture(forTenant(database, tenantId), resource, rowId);
    if (picture === null) return null;
    const handling = { owner: tenantId, isUrgent: true, signal: AbortSignal.timeout(makeMs) };
    const convert = async (bytes: Buffer) =>
      (await imageAnalyzer.convert({ bytes, conversion: { to: 'preview', width, format }, ...handling })).bytes;
    if ('poster' in picture) {
      return keep(name, await convert(picture.poster), picture.checksum === checksum);
    }
    return readSource.use(picture.source, { owner: tenantId, signal: handling.signal }, async (bytes) => {
      const isCurrent = hash('sha256', bytes, 'hex').startsWith(checksum);
      return keep(name, await convert(bytes), isCurrent);
    });
  }

  async function keep(name: string, bytes: Buffer, isCurrent: boolean): Promise<Preview> {
    if (isCurrent) {
      await store
        .write(name, bytes)
        .catch((error: unknown) => logger.warn({ reason: String(error) }, 'a preview cannot be kept'));
    }
    return { bytes, isCurrent };
  }

  return {
    async pathOf(shown, width, format) {
      const ending = format === undefined ? '' : `.${format}`;
      return `/previews/${sign(await key(), shown, expiryAt(Date.now()))}/${width}${ending}`;
    },
    async verify(text) {
      return verify(await key(), text, Date.now());
    },
    async read(wanted) {
      const name = nameOf(wanted);
      const known = recent.get(name);
      if (known !== undefined) return { bytes: known, isCurrent: true };
      let made = making.get(name);
      if (made === undefined) {
        made = make(wanted, name).finally(() => making.delete(name));
        making.set(name, made);
      }
      const preview = await made;
      if (preview?.isCurrent === true) recent.set(name, preview.bytes);
      return preview;
    },
    close: () => store.close(),
  };
}

/** Where a preview is kept: by tenant, so that one is never served the file of another, and by what the picture's file holds. */
function nameOf({ shown: { tenantId, resource, checksum }, width, format }: Wanted): string {
  return `${tenantId}/${checksum.slice(0, 2)}/${resource}-${checksum}-${width}.${format}`;
}
