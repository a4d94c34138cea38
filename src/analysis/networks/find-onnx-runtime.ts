import type { AiConfig } from '../../config/ai-config.ts';
import { findOnnxLibrary } from '../onnx/find-library.ts';

/** The library of ONNX Runtime, if built-in networks may use it and this system has one; else null. */
export function findOnnxRuntime({ usesOnnxRuntime }: Pick<AiConfig, 'usesOnnxRuntime'>): string | null {
  return usesOnnxRuntime ? findOnnxLibrary() : null;
}
