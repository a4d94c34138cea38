import type { AiConfig } from '../../config/ai-config.ts';
import { findPackage, runtimePackages } from '../models/find-package.ts';

/** Where the program of ONNX Runtime is, if built-in networks may use it and it is installed; else null. */
export function findOnnxRuntime({ usesOnnxRuntime, modelsDir }: Pick<AiConfig, 'usesOnnxRuntime' | 'modelsDir'>) {
  return usesOnnxRuntime ? findPackage(runtimePackages[0], modelsDir) : null;
}
