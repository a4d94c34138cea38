import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { findOnnxLibrary } from '../onnx/find-library.ts';

/**
 * Where a package that is no dependency of Vitrine is installed: beside Vitrine or in NODE_PATH, in the working
 * directory of the service, or in the folder of the models.
 *
 * @returns the path of its program, or null.
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

/** What runs the models of MODELS_DIR: an installed package, else the library for this system; null where neither is. */
export function findModelRuntime(modelsDir: string): string | null {
  const installed = runtimePackages.map((name) => findPackage(name, modelsDir)).find((path) => path !== null);
  return installed ?? findOnnxLibrary();
}

/** The command that installs what runs models where nothing does. */
export function commandForModels(modelsDir: string): string {
  return installCommand(modelsDir, [runtimePackages[1]]);
}

/**
 * The command that installs packages in the folder of the models, where `npm ci` in Vitrine's folder leaves them. Without
 * install scripts, because that of onnxruntime-node downloads what only CUDA needs.
 */
export function installCommand(modelsDir: string, names: readonly string[]): string {
  const fromHere = relative(process.cwd(), resolve(modelsDir));
  const folder = fromHere === '' || fromHere.startsWith('..') ? resolve(modelsDir) : fromHere;
  return `npm install --prefix ${folder} --ignore-scripts ${names.join(' ')}`;
}

/** Loads what `findPackage` has found. */
export function loadPackage(path: string): unknown {
  return createRequire(path)(path) as unknown;
}
