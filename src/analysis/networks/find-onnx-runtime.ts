import type { AiConfig } from '../../config/ai-config.ts';
import { findOnnxLibrary } from '../onnx/find-library.ts';

/** Path of the ONNX Runtime library, if built-in networks may use it and this system has it; else null. */
export function findOnnxRuntime({ usesOnnxRuntime }: Pick<AiConfig, 'usesOnnxRuntime'>): string | null {
  return usesOnnxRuntime ? findOnnxLibrary() : null;
}
