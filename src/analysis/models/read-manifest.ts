import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { SetupError } from '../../lib/errors.ts';
import { filesOf, manifestName, manifestSchema, modelEntrySchema } from './manifest.ts';
import type { ModelEntry } from './manifest.ts';

/** Maximum size in bytes: larger than any description of models, and small enough to be read at startup. */
const mostBytes = 8 * 2 ** 20;

/**
 * Reads the models that a folder describes; null if it has no models.json.
 *
 * @throws SetupError that names every fault by its field.
 */
export function readManifest(modelsDir: string): readonly ModelEntry[] | null {
  const file = join(modelsDir, manifestName);
  const json = readManifestJson(modelsDir);
  if (json === null) return null;
  const { models, faults } = parseModels(json);
  const missing = models.flatMap((entry) =>
    filesOf(entry)
      .filter(([, { path }]) => !existsSync(join(modelsDir, path)))
      .map(([role, { path }]) => `${entry.name} files.${role}: ${path} does not exist in ${modelsDir}`),
  );
  const all = [...faults, ...missing];
  if (all.length === 0) return models;
  throw new SetupError([`${file} cannot be used:`, ...all.map((fault) => `  ${fault}`)].join('\n'));
}

/** Parses the models.json of a folder without validating it; null if there is none. @throws SetupError */
export function readManifestJson(modelsDir: string): unknown {
  const file = join(modelsDir, manifestName);
  if (!existsSync(file)) return null;
  if (statSync(file).size > mostBytes) throw new SetupError(`${file} is larger than ${mostBytes / 2 ** 20} MiB`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SetupError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

/** Returns the valid models of a parsed models.json, and the faults of the others. */
export function parseModels(json: unknown): Readonly<{ models: readonly ModelEntry[]; faults: readonly string[] }> {
  const read = manifestSchema.safeParse(json);
  if (!read.success) {
    return { models: [], faults: faultsOf(read.error, '', 'It is {"models": [{"name": …, "task": …}, …]}.') };
  }
  const models: ModelEntry[] = [];
  const faults: string[] = [];
  for (const [index, value] of read.data.models.entries()) {
    const entry = modelEntrySchema.safeParse(value);
    if (!entry.success) faults.push(...faultsOf(entry.error, `models[${index}]${nameOf(value)} `));
    else if (models.some(({ name }) => name === entry.data.name)) {
      faults.push(`models[${index}] name: '${entry.data.name}' names another model, too`);
    } else models.push(entry.data);
  }
  return { models, faults };
}

function nameOf(value: unknown): string {
  const name = (value as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? ` (${name.slice(0, 80)})` : '';
}

function faultsOf({ issues }: z.ZodError, prefix: string, hint = ''): string[] {
  return issues.map(({ path, message }) => `${prefix}${path.map(String).join('.')}: ${message} ${hint}`.trimEnd());
}

/** A version that changes whenever the model's results may: with its files, its preprocessing, labels or thresholds. */
export function versionOfModel(entry: ModelEntry): string {
  const answers = { ...entry, license: undefined, source: undefined, gpu: undefined, batch: undefined };
  return hash('sha256', JSON.stringify(answers)).slice(0, 12);
}

/** Whether a model embeds texts as well as pictures. */
export function embedsText(entry: ModelEntry): boolean {
  return entry.task === 'embedding' && entry.files.text !== undefined;
}
