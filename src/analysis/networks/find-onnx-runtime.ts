import { join } from 'node:path';
import type { AiConfig } from '../../config/ai-config.ts';
import { packageRoot } from '../../lib/package-root.ts';
import { findPackageIn, runtimePackages } from '../models/find-package.ts';

/**
 * The folder in which ONNX Runtime may be installed for the built-in networks: MODELS_DIR where it is set, else that in
 * Vitrine's own. Not one in the working directory: who tags a picture in a folder does not mean to run the programs in it.
 */
export function onnxRuntimeFolder({ modelsDir, hasModelsDir }: Pick<AiConfig, 'modelsDir' | 'hasModelsDir'>): string {
  return hasModelsDir ? modelsDir : join(packageRoot, 'models');
}

/** Where the program of ONNX Runtime is, if built-in networks may use it and it is installed; else null. */
export function findOnnxRuntime(ai: Pick<AiConfig, 'usesOnnxRuntime' | 'modelsDir' | 'hasModelsDir'>): string | null {
  return ai.usesOnnxRuntime ? findPackageIn(runtimePackages[0], [onnxRuntimeFolder(ai)]) : null;
}
