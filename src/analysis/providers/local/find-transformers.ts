import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProviderError } from '../provider.ts';
import { findPackage, installCommand, loadPackage } from '../../models/find-package.ts';

/** The package that runs models here. It is not a dependency: it is large, and few need it. */
const packageName = '@huggingface/transformers';

/** Returns a function that loads the package; null if it is not installed. */
export function findTransformers(modelsDir: string): (() => unknown) | null {
  const path = findPackage(packageName, modelsDir);
  return path === null ? null : () => loadPackage(path);
}

/** @throws ProviderError `not_available` if it is not installed. */
export async function loadTransformers(modelsDir: string): Promise<unknown> {
  const load = findTransformers(modelsDir);
  if (load === null) {
    throw new ProviderError(
      'not_available',
      `provider 'local' needs a package: ${installCommand(modelsDir, [packageName])}`,
    );
  }
  return load();
}

/** Published precisions of weights with the suffixes of their file names, the smallest first. */
const precisions = { q8: '_quantized', fp16: '_fp16', fp32: '' } as const;

/**
 * The smallest precision in which all of these files exist; the smallest of all if there is none, as its error names them.
 */
export function precisionOf(modelsDir: string, id: string, files: readonly string[]): keyof typeof precisions {
  const has = (end: string) => files.every((file) => existsSync(join(modelsDir, id, 'onnx', `${file}${end}.onnx`)));
  const found = Object.entries(precisions).find(([, end]) => has(end));
  return (found?.[0] ?? 'q8') as keyof typeof precisions;
}
