import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../../lib/errors.ts';
import { makeFolder } from '../../../lib/make-folder.ts';
import { digestOfFile } from '../networks.ts';
import { addModelEntry, readEntries } from './change-manifest.ts';
import { entryOf, placeOf } from './curated.ts';
import type { CuratedModel } from './curated.ts';
import { fetchHubFile, partialOf } from './fetch-file.ts';
import { hostOf, listRepository } from './hub.ts';
import type { Hub, HubFile } from './hub.ts';

/** What to download for a model. */
export type ModelPlan = Readonly<{
  model: CuratedModel;
  files: readonly Readonly<{ role: string; file: HubFile; to: string }>[];
  bytes: number;
  /** How many of these bytes have not been downloaded yet. */
  missingBytes: number;
}>;

/**
 * Asks the hub for the sizes and digests of a model's files.
 *
 * @throws SetupError if models.json already lists the model, or the hub does not have it
 */
export async function planModel(hub: Hub, model: CuratedModel, modelsDir: string): Promise<ModelPlan> {
  if (readEntries(modelsDir).some(({ name }) => name === model.name)) {
    throw new SetupError(
      `models.json in ${modelsDir} already has ${model.name}. To fetch it again, run first: vitrine models remove ${model.name}`,
    );
  }
  const listed = new Map((await listRepository(hub, model.repository)).map((file) => [file.path, file]));
  const files = Object.entries(model.files).map(([role, path]) => {
    const file = listed.get(path);
    if (file !== undefined) return { role, file, to: join(modelsDir, placeOf(model, path)) };
    throw new SetupError(
      `${model.repository} on ${hostOf(hub.url)} no longer has the file ${path}. Choose another model: vitrine models list`,
    );
  });
  const here = await Promise.all(files.map(bytesHere));
  const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0);
  return { model, files, bytes, missingBytes: bytes - here.reduce((sum, each) => sum + each, 0) };
}

async function bytesHere({ file, to }: ModelPlan['files'][number]): Promise<number> {
  const [whole, part] = await Promise.all([to, partialOf(to, file)].map((path) => stat(path).catch(() => null)));
  return whole?.size === file.bytes ? file.bytes : Math.min(file.bytes, part?.size ?? 0);
}

/**
 * Downloads the files of a model, checks each, and adds the model to models.json. If interrupted, the next run
 * resumes.
 *
 * @param onProgress called with the number of bytes downloaded so far, over all files
 * @throws SetupError
 */
export async function fetchModel(
  hub: Hub,
  { model, files, missingBytes }: ModelPlan,
  modelsDir: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  await checkSpace(modelsDir, missingBytes);
  const digests: Record<string, string> = {};
  let before = 0;
  for (const { role, file, to } of files) {
    const start = before;
    await fetchHubFile(hub, {
      repository: model.repository,
      file,
      to,
      onProgress: (bytes) => onProgress(start + bytes),
    });
    digests[role] = file.digest.kind === 'sha256' ? file.digest.hex : await digestOfFile(to);
    before += file.bytes;
  }
  await addModelEntry(modelsDir, entryOf(model, digests));
}

/** @throws SetupError if the disk has less space than needed */
async function checkSpace(modelsDir: string, bytes: number): Promise<void> {
  makeFolder(modelsDir);
  const { bavail, bsize } = await statfs(modelsDir);
  if (bavail * bsize >= bytes) return;
  const [needed, free] = [bytes, bavail * bsize].map((each) => `${Math.ceil(each / 1e6)} MB`);
  throw new SetupError(
    `${modelsDir} has ${free} left, and ${needed} are needed. Free some space, or set MODELS_DIR to another folder.`,
  );
}
