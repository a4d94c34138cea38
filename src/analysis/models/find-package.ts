import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import type { ModelEntry } from './manifest.ts';

/**
 * Where a package that is no dependency of Vitrine is installed: beside Vitrine or in NODE_PATH, in the working
 * directory of the service, or in the folder of the models.
 *
 * @returns the path of its program, or null.
 */
export function findPackage(name: string, modelsDir: string): string | null {
  return findPackageIn(name, [process.cwd(), modelsDir]);
}

/** The same beside Vitrine, in NODE_PATH, and in these folders. */
export function findPackageIn(name: string, folders: readonly string[]): string | null {
  for (const place of [import.meta.url, ...folders.map((folder) => join(resolve(folder), 'index.js'))]) {
    try {
      return createRequire(place).resolve(name);
    } catch {
      continue;
    }
  }
  return null;
}

/** The packages that run networks, the faster one first, and that read texts for them. */
export const runtimePackages = ['onnxruntime-node', 'onnxruntime-web'] as const;
export const tokenizerPackage = '@huggingface/tokenizers';

/** What is to be installed before these models can run. */
export function missingPackages(entries: readonly ModelEntry[], modelsDir: string): string[] {
  const hasRuntime = runtimePackages.some((name) => findPackage(name, modelsDir) !== null);
  const hasTexts = entries.some(({ files }) => 'tokenizer' in files && files.tokenizer !== undefined);
  return [
    ...(hasRuntime ? [] : [runtimePackages[0]]),
    ...(hasTexts && findPackage(tokenizerPackage, modelsDir) === null ? [tokenizerPackage] : []),
  ];
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
