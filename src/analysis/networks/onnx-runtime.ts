import { loadOnceEach } from '../../lib/load-once.ts';
import { Runtime } from '../models/runtime.ts';
import { readGraph } from './network.ts';
import type { Network, RunNetwork } from './network.ts';
import { pixelsInput } from './conversion.ts';
import { outputName, toOnnx } from './to-onnx.ts';
import { runOnWebAssembly } from './tensorflow.ts';

/**
 * Runs networks by ONNX Runtime, which computes them with all that the processor can: three to four times as fast
 * as WebAssembly, with the same values but for the last digits.
 *
 * @param path the program of onnxruntime-node. @throws Error if it cannot be loaded.
 */
export function openOnnxRuntime(path: string): RunNetwork {
  // Threads of analyzers already use all processors.
  const runtime = new Runtime(path, 1);
  const load = loadOnceEach(async (_key: string, network: Network) => {
    const { session } = await runtime.load(toOnnx(await readGraph(network.name), network), 'off');
    return session;
  });
  return async (network, pixels, [width, height]) => {
    const session = await load(`${network.name} ${network.outputs.join(' ')}`, network);
    const found = await session.run({ [pixelsInput]: runtime.floats(pixels, [1, height, width, 3]) });
    return network.outputs.map((layer) => {
      const { data, dims } = found[outputName(layer)] as { data: ArrayLike<number>; dims: readonly number[] };
      return { values: data as Float32Array, shape: dims };
    });
  };
}

/** Runs networks by ONNX Runtime where its package is and can be loaded, else by WebAssembly. */
export function openNetworks(onnxRuntime: string | null): RunNetwork {
  if (onnxRuntime === null) return runOnWebAssembly;
  try {
    return openOnnxRuntime(onnxRuntime);
  } catch {
    // Of another system, or a version below 1.17, which only one thread of a process can load.
    return runOnWebAssembly;
  }
}
