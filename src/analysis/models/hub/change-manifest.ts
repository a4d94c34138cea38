import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { SetupError } from '../../../lib/errors.ts';
import { makeFolder } from '../../../lib/make-folder.ts';
import { manifestName, manifestSchema } from '../manifest.ts';
import type { ModelEntry } from '../manifest.ts';
import { parseModels, readManifestJson } from '../read-manifest.ts';

/**
 * Reads the entries of models.json, whose files may be missing; empty if there is no models.json.
 *
 * @throws SetupError that names every fault
 */
export function readEntries(modelsDir: string): readonly ModelEntry[] {
  const json = readManifestJson(modelsDir);
  if (json === null) return [];
  const { models, faults } = parseModels(json);
  if (faults.length === 0) return models;
  const file = join(modelsDir, manifestName);
  throw new SetupError(
    [`${file} cannot be used. Correct it first:`, ...faults.map((fault) => `  ${fault}`)].join('\n'),
  );
}

/** Appends an entry; the others remain unchanged. */
export async function addModelEntry(modelsDir: string, entry: object): Promise<void> {
  await writeEntries(modelsDir, [...rawEntries(modelsDir), entry]);
}

/** Removes an entry; the others remain unchanged. */
export async function removeModelEntry(modelsDir: string, name: string): Promise<void> {
  const others = rawEntries(modelsDir).filter((each) => (each as { name?: unknown }).name !== name);
  await writeEntries(modelsDir, others);
}

/** The entries as written, without defaults. */
function rawEntries(modelsDir: string): readonly unknown[] {
  const json = readManifestJson(modelsDir);
  return json === null ? [] : manifestSchema.parse(json).models;
}

/** Replaces the file atomically: a concurrent reader gets either the old content or the new. */
async function writeEntries(modelsDir: string, models: readonly unknown[]): Promise<void> {
  const file = join(modelsDir, manifestName);
  const written = `${file}.${process.pid}`;
  makeFolder(modelsDir);
  await writeFile(written, `${JSON.stringify({ models }, null, 2)}\n`);
  await rename(written, file);
}
