import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { findOnnxLibrary } from '../onnx/find-library.ts';

/**
 * Finds a package that is not a dependency of Vitrine: installed next to Vitrine or in NODE_PATH, in the service's
 * working directory, or in the models folder.
 *
 * @returns the path of its main script, or null.
 */
export function findPackage(name: string, modelsDir: string): string | null {
  const folders = [process.cwd(), modelsDir].map((folder) => join(resolve(folder), 'index.js'));
  for (const place of [import.meta.url, ...folders]) {
    try {
      return createRequire(place).resolve(name);
    } catch {
      continue;
    }
  }
  return null;
}

/** Packages of ONNX Runtime that users may install: for GPUs, and for systems for which Vitrine's packages have no library. */
const runtimePackages = ['onnxruntime-node', 'onnxruntime-web'] as const;

/**
 * The path of the runtime for models in MODELS_DIR: an installed package, otherwise the library for this system; null
 * if there is neither.
 */
export function findModelRuntime(modelsDir: string): string | null {
  const installed = runtimePackages.map((name) => findPackage(name, modelsDir)).find((path) => path !== null);
  return installed ?? findOnnxLibrary();
}

/** The command that installs a runtime for models if there is none. */
export function commandForModels(modelsDir: string): string {
  return installCommand(modelsDir, [runtimePackages[1]]);
}

/**
 * The command that installs packages in the models folder, where `npm ci` in Vitrine's folder does not remove them. It runs
 * no install scripts, because the one of onnxruntime-node downloads files that only CUDA needs.
 */
export function installCommand(modelsDir: string, names: readonly string[]): string {
  const fromHere = relative(process.cwd(), resolve(modelsDir));
  const folder = fromHere === '' || fromHere.startsWith('..') ? resolve(modelsDir) : fromHere;
  return `npm install --prefix ${folder} --ignore-scripts ${names.join(' ')}`;
}

/** Loads a package that `findPackage` has found. */
export function loadPackage(path: string): unknown {
  return createRequire(path)(path) as unknown;
}
