import { LRUCache } from 'lru-cache';
import type { Logger } from '../observability/logger.ts';
import { nameOf } from './ladder.ts';
import type { PreviewWidth } from './ladder.ts';
import type { Preview, PreviewMaker, WantedAhead, WantedPreview } from './make-preview.ts';
import { namesOf, removePreviews } from './remove-previews.ts';
import type { ShownFiles } from './remove-previews.ts';
import type { FileStore } from '../storage/index.ts';

/** The most recently requested previews stay in memory, up to this size. */
const memoryBytes = 32 * 2 ** 20;

/**
 * Serves previews from memory or from the store, or makes and stores them. If the store fails, previews are made
 * again each time.
 */
export function openKeptPreviews(store: FileStore, maker: PreviewMaker, logger: Logger) {
  const recent = new LRUCache<string, Buffer>({ maxSize: memoryBytes, sizeCalculation: ({ length }) => length });
  const making = new Map<string, Promise<Preview | null>>();
  const makingAhead = new Set<Promise<void>>();

  async function readKept(name: string): Promise<Buffer | null> {
    const bytes = await store.read(name).catch((error: unknown) => {
      logger.warn({ reason: String(error) }, 'a preview cannot be read');
      return null;
    });
    return bytes?.length === 0 ? null : bytes; // A power failure may leave an empty file.
  }

  async function keep(name: string, { bytes, isCurrent }: Preview): Promise<void> {
    if (!isCurrent) return;
    await store
      .write(name, bytes)
      .catch((error: unknown) => logger.warn({ reason: String(error) }, 'a preview cannot be kept'));
  }

  async function readOrMake(wanted: WantedPreview, name: string): Promise<Preview | null> {
    const kept = await readKept(name);
    if (kept !== null) return { bytes: kept, isCurrent: true };
    const made = await maker.make(wanted);
    if (made !== null) await keep(name, made);
    return made;
  }

  async function makeMissing({ shown, widths, format, signal }: WantedAhead): Promise<void> {
    const nameFor = (width: PreviewWidth) => nameOf({ shown, kind: 'picture', width, format });
    const missing: PreviewWidth[] = [];
    for (const width of widths) if ((await readKept(nameFor(width))) === null) missing.push(width);
    if (missing.length === 0) return;
    const made = await maker.makeAhead({ shown, widths: missing, format, signal });
    for (const [index, preview] of made.entries()) await keep(nameFor(missing[index] as PreviewWidth), preview);
  }

  return {
    /** Concurrent requests for one preview share the work. */
    async read(wanted: WantedPreview): Promise<Preview | null> {
      const name = nameOf(wanted);
      const known = recent.get(name);
      if (known !== undefined) return { bytes: known, isCurrent: true };
      let made = making.get(name);
      if (made === undefined) {
        made = readOrMake(wanted, name).finally(() => making.delete(name));
        making.set(name, made);
      }
      const preview = await made;
      if (preview?.isCurrent === true) recent.set(name, preview.bytes);
      return preview;
    },
    /** Previews made ahead are not kept in memory, which is for what users open. */
    async makeAhead(wanted: WantedAhead): Promise<void> {
      const work = makeMissing(wanted).finally(() => makingAhead.delete(work));
      makingAhead.add(work);
      await work;
    },
    /** Removes all previews of files; those being made are removed once they are stored. @throws what the store throws. */
    async forget(shown: ShownFiles): Promise<void> {
      const names = namesOf(shown);
      await Promise.allSettled([...names.map((name) => making.get(name)), ...makingAhead]);
      for (const name of names) recent.delete(name);
      await removePreviews(store, shown);
    },
  };
}
