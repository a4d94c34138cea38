import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SetupError } from '../../../lib/errors.ts';
import { filesOf } from '../manifest.ts';
import { readEntries, removeModelEntry } from './change-manifest.ts';
import { placeOf } from './curated.ts';
import type { CuratedModel } from './curated.ts';

/** What was removed: files that no other model uses, relative to the folder. */
type RemovedModel = Readonly<{ files: readonly string[]; bytes: number }>;

/**
 * Removes the entry of a model, the files that no other entry names, and its incomplete downloads.
 *
 * @param curated the models that can be downloaded: their files may be present before models.json lists them
 * @throws SetupError if there is no such model here
 */
export async function removeModel(
  modelsDir: string,
  name: string,
  curated: readonly CuratedModel[],
): Promise<RemovedModel> {
  const entries = readEntries(modelsDir);
  const entry = entries.find((each) => each.name === name);
  const model = curated.find((each) => each.name === name);
  const kept = new Set(
    entries.filter((each) => each !== entry).flatMap((each) => filesOf(each).map(([, { path }]) => path)),
  );
  const own =
    entry !== undefined
      ? filesOf(entry).map(([, { path }]) => path)
      : model === undefined
        ? []
        : Object.values(model.files).map((path) => placeOf(model, path));
  const found = (
    await Promise.all(own.filter((path) => !kept.has(path)).map((path) => filesAt(modelsDir, path)))
  ).flat();
  if (entry === undefined && found.length === 0) {
    const names = entries.map((each) => each.name).join(', ');
    throw new SetupError(
      `There is no model '${name}' in ${modelsDir}. ${names === '' ? 'The folder has no models.' : `Its models are: ${names}.`}`,
    );
  }
  // The entry goes first: an entry without files is an error, while files without an entry only take up space.
  if (entry !== undefined) await removeModelEntry(modelsDir, name);
  for (const { path } of found) {
    await rm(join(modelsDir, path), { force: true });
    await removeEmptyFolders(modelsDir, dirname(path));
  }
  const bytes = found.reduce((sum, each) => sum + each.bytes, 0);
  return { files: found.map(({ path }) => path), bytes };
}

/** Finds a file and its incomplete downloads. */
async function filesAt(modelsDir: string, path: string): Promise<{ path: string; bytes: number }[]> {
  const folder = dirname(path);
  const names = await readdir(join(modelsDir, folder)).catch(() => []);
  const own = names.filter(
    (name) => name === basename(path) || (name.startsWith(`${basename(path)}.`) && name.endsWith('.part')),
  );
  return Promise.all(
    own.map(async (name) => ({ path: join(folder, name), bytes: (await stat(join(modelsDir, folder, name))).size })),
  );
}

async function removeEmptyFolders(modelsDir: string, folder: string): Promise<void> {
  for (let each = folder; each !== '.'; each = dirname(each)) {
    try {
      await rmdir(join(modelsDir, each));
    } catch {
      return; // It holds other files.
    }
  }
}
