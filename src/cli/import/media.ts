import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { readFileMetadata } from '../../analysis/index.ts';
import { idOfFile, resourceOfFile } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { fromRecords } from '../../tables/index.ts';
import type { ImportEntry, ImportSource } from '../../tables/index.ts';
import { evenly } from '../picture-files.ts';
import { walkFolder } from '../walk-folder.ts';
import { SidecarFault, Sidecars } from './sidecars/sidecars.ts';

/**
 * How many files, and how many bytes at the start of each, are searched for embedded texts to detect their language:
 * metadata is at the beginning.
 */
const sample = { files: 100, bytes: 256 * 1024 } as const;

/** Pictures and videos of one folder: all those in it and its subfolders, or a single one that was named. */
export type Listing = Readonly<{
  /** An absolute path. */
  folder: string;
  /** The resolved media root that contains it. */
  root: string;
  /** Paths below the folder. */
  places: readonly string[];
  /** Descriptions of what was left out; and files whose names cannot be written as a path. */
  leftOut: readonly string[];
  unnamable: readonly string[];
}>;

/** Lists the pictures and videos of a folder and of its subfolders. @throws SetupError if there is none */
export async function listFolder(folder: string, root: string): Promise<Listing> {
  const { files: places, leftOut, unnamable } = await walkFolder(folder, (name) => resourceOfFile(name) !== null);
  if (places.length === 0 && unnamable.length === 0)
    throw new SetupError([`${folder} contains no pictures or videos`, ...notesOf(leftOut)].join('; ') + '.');
  return { folder, root, places, leftOut, unnamable };
}

/** Lists one picture or video, as if its folder contained no other. */
export function listFile(path: string, root: string): Listing {
  return { folder: dirname(path), root, places: [basename(path)], leftOut: [], unnamable: [] };
}

/**
 * Opens pictures and videos as records, whose ids are their paths below the named folder.
 *
 * @param idPrefix put before each id
 * @throws SetupError if two files would have the same id.
 */
export async function openMedia(listings: readonly Listing[], idPrefix: string): Promise<ImportSource> {
  if (listings.length > 1) refuseSharedIds(listings);
  const opened = await Promise.all(
    listings.map(async (each) => ({
      ...each,
      real: await realpath(each.folder),
      shown: listings.length === 1 ? '' : each.folder,
    })),
  );
  const sidecars = new Sidecars();
  async function* read(): AsyncIterable<ImportEntry> {
    for (const listing of opened) {
      for (const place of listing.unnamable) yield { place: join(listing.shown, place), fault: unnamableFault };
      for (const place of listing.places) yield entryOf(listing, place, { idPrefix, sidecars });
    }
  }
  const paths = () => listings.flatMap(({ folder, places }) => places.map((place) => join(folder, place)));
  const embeddedTexts = () => readEmbeddedTexts(evenly(paths(), sample.files));
  const notes = notesOf(listings.flatMap(({ leftOut }) => leftOut));
  return { ...fromRecords(notes, read), idsFromPlaces: true, embeddedTexts };
}

const notesOf = (leftOut: readonly string[]) => (leftOut.length === 0 ? [] : [`left out: ${leftOut.join(', ')}`]);

const unnamableFault = 'its name is not UTF-8: rename it, for example with convmv';

type EntryOptions = Readonly<{ idPrefix: string; sidecars: Sidecars }>;

/**
 * A listing with its folder resolved (`real`), and the folder that prefixes the names of its files in messages
 * (`shown`).
 */
type OpenListing = Listing & Readonly<{ real: string; shown: string }>;

async function entryOf(
  { folder, real, root, shown }: OpenListing,
  below: string,
  { idPrefix, sidecars }: EntryOptions,
): Promise<ImportEntry> {
  const place = join(shown, below);
  try {
    const stated = await sidecars.fieldsOf(join(folder, below), resourceOfFile(below) ?? 'image');
    const id = idPrefix + idOfFile(below);
    return { place, record: { ...stated, id, src_path: relative(root, join(real, below)) } };
  } catch (error) {
    if (!(error instanceof SidecarFault)) throw error;
    return { place, fault: error.message };
  }
}

function refuseSharedIds(listings: readonly Listing[]): void {
  const found = new Map<string, string>();
  for (const { folder, places } of listings) {
    for (const place of places) {
      const [id, path] = [idOfFile(place), join(folder, place)];
      const other = found.get(id);
      if (other !== undefined) {
        throw new SetupError(
          `${other} and ${path} would have the same id, ${id}.\n` +
            'Import the folder that holds both, or one after the other with --id-prefix.',
        );
      }
      found.set(id, path);
    }
  }
}

/** The descriptions embedded in pictures as IPTC, XMP or EXIF; a file that cannot be read has none. */
async function* readEmbeddedTexts(paths: readonly string[]): AsyncIterable<string> {
  for (const path of paths) {
    const { title, headline, caption } = await readFileMetadata(await readBeginning(path), 'x-default');
    for (const text of [title, headline, caption]) if (typeof text === 'string') yield text;
  }
}

async function readBeginning(path: string): Promise<Buffer> {
  const file = await open(path).catch(() => null);
  if (file === null) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sample.bytes), 0, sample.bytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await file.close();
  }
}
