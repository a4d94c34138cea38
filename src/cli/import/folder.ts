import { open, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readFileMetadata } from '../../analysis/index.ts';
import { idOfFile, resourceOfFile } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { fromRecords } from '../../tables/index.ts';
import type { ImportEntry, ImportSource } from '../../tables/index.ts';
import { walkFolder } from '../walk-folder.ts';
import { SidecarFault, Sidecars } from './sidecars/sidecars.ts';

/** The files whose embedded texts are read to detect their language, and how much of each: metadata is at the beginning. */
const sample = { files: 100, bytes: 256 * 1024 } as const;

/**
 * Opens the pictures and videos of a folder and of its subfolders.
 *
 * @param folder an absolute path
 * @param root the media root that contains it, resolved
 * @param idPrefix what the ids begin with; the rest is the path below `folder`
 * @throws SetupError if there is none
 */
export async function openFolder(folder: string, root: string, idPrefix: string): Promise<ImportSource> {
  const { files: places, leftOut, unnamable } = await walkFolder(folder, (name) => resourceOfFile(name) !== null);
  const notes = leftOut.length === 0 ? [] : [`left out: ${leftOut.join(', ')}`];
  if (places.length === 0 && unnamable.length === 0)
    throw new SetupError([`${folder} contains no pictures or videos`, ...notes].join('; ') + '.');
  const real = await realpath(folder);
  const sidecars = new Sidecars();
  async function* read(): AsyncIterable<ImportEntry> {
    for (const place of unnamable) yield { place, fault: 'its name is not UTF-8: rename it, for example by convmv' };
    for (const place of places) {
      try {
        const stated = await sidecars.fieldsOf(join(folder, place), resourceOfFile(place) ?? 'image');
        const id = idPrefix + idOfFile(place);
        yield { place, record: { ...stated, id, src_path: relative(root, join(real, place)) } };
      } catch (error) {
        if (!(error instanceof SidecarFault)) throw error;
        yield { place, fault: error.message };
      }
    }
  }
  const embeddedTexts = () => readEmbeddedTexts(pickEvenly(places, sample.files).map((place) => join(folder, place)));
  return { ...fromRecords(notes, read), idsFromPlaces: true, embeddedTexts };
}

function pickEvenly(values: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, values.length / count);
  return values.filter((_, i) => Math.floor(i / step) > Math.floor((i - 1) / step));
}

/** The descriptions that pictures contain as IPTC, XMP or EXIF; a file that cannot be read has none. */
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
