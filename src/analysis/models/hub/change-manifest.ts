import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { SetupError } from '../../../lib/errors.ts';
import { manifestName, manifestSchema } from '../manifest.ts';
import type { ModelEntry } from '../manifest.ts';
import { parseModels, readManifestJson } from '../read-manifest.ts';

/**
 * The entries of models.json, whose files may be missing; none where there is no models.json.
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

/** Writes an entry behind the others, which stay as they are. */
export async function addModelEntry(modelsDir: string, entry: object): Promise<void> {
  await writeEntries(modelsDir, [...rawEntries(modelsDir), entry]);
}

/** Takes an entry away; the others stay as they are. */
export async function removeModelEntry(modelsDir: string, name: string): Promise<void> {
  const others = rawEntries(modelsDir).filter((each) => (each as { name?: unknown }).name !== name);
  await writeEntries(modelsDir, others);
}

/** As they are written, without defaults. */
function rawEntries(modelsDir: string): readonly unknown[] {
  const json = readManifestJson(modelsDir);
  return json === null ? [] : manifestSchema.parse(json).models;
}

/** In one step: who reads it meanwhile finds what it was, or what it is. */
async function writeEntries(modelsDir: string, models: readonly unknown[]): Promise<void> {
  const file = join(modelsDir, manifestName);
  const written = `${file}.${process.pid}`;
  await mkdir(modelsDir, { recursive: true });
  await writeFile(written, `${JSON.stringify({ models }, null, 2)}\n`);
  await rename(written, file);
}
