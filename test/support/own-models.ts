import { join } from 'node:path';
import process from 'node:process';
import { missingPackages } from '../../src/analysis/models/find-package.ts';
import { readManifest } from '../../src/analysis/models/read-manifest.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

/** A folder with models.json and a model of a few kilobytes for each task; scripts/make-tiny-models.js makes it. */
export const ownModels = join(packageRoot, 'test', 'fixtures', 'models', 'own');

const missing = missingPackages(readManifest(ownModels) ?? [], ownModels);

/** Why models cannot run here; empty where they can. `.ci/run` installs the packages. */
export const whyNoModels = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not installed)`;

/** The environment of commands that run them: where the packages are, as for this process. */
export const ownModelsEnvironment: Readonly<Record<string, string>> = {
  ...(process.env['NODE_PATH'] && { NODE_PATH: process.env['NODE_PATH'] }),
  MODELS_DIR: ownModels,
  AI_PROVIDER: 'local',
};
