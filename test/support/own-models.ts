import { join } from 'node:path';
import process from 'node:process';
import { findModelRuntime } from '../../src/analysis/models/find-package.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

/** A folder with models.json and a model of a few kilobytes for each task; scripts/make-tiny-models.js makes it. */
export const ownModels = join(packageRoot, 'test', 'fixtures', 'models', 'own');

/** Why models cannot run here; empty where they can. */
export const whyNoModels = findModelRuntime(ownModels) === null ? ' (skipped: this system has no ONNX Runtime)' : '';

/** The environment of commands that run them: with the packages of this process. */
export const ownModelsEnvironment: Readonly<Record<string, string>> = {
  ...(process.env['NODE_PATH'] && { NODE_PATH: process.env['NODE_PATH'] }),
  MODELS_DIR: ownModels,
  AI_PROVIDER: 'local',
};
