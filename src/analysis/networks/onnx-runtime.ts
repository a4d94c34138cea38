import { loadOnceEach } from '../../lib/load-once.ts';
import { Runtime } from '../onnx/runtime.ts';
import { readGraph } from './network.ts';
import type { Network, RunNetwork } from './network.ts';
import { pixelsInput } from './conversion.ts';
import { outputName, toOnnx } from './to-onnx.ts';
import { runOnWebAssembly } from './tensorflow.ts';

/**
 * Runs networks with ONNX Runtime, which uses all capabilities of the processor: three to four times as fast
 * as WebAssembly, with the same values except for the last digits.
 *
 * @param path path of its library, or of the main script of onnxruntime-node. @throws Error if it cannot be loaded.
 */
export function openOnnxRuntime(path: string): RunNetwork {
  // The threads of analyzers already use all processors.
  const runtime = new Runtime(path, 1);
  const load = loadOnceEach(async (_key: string, network: Network) => {
    const { session } = await runtime.load(toOnnx(await readGraph(network.name), network), 'off');
    return session;
  });
  return async (network, pixels, [width, height]) => {
    const session = await load(`${network.name} ${network.outputs.join(' ')}`, network);
    const found = await session.run({ [pixelsInput]: runtime.floats(pixels, [1, height, width, 3]) });
    return network.outputs.map((layer) => {
      const output = found[outputName(layer)];
      if (!(output?.data instanceof Float32Array)) throw new Error(`${network.name} gave no numbers for ${layer}`);
      return { values: output.data, shape: output.dims };
    });
  };
}

/** Runs networks with ONNX Runtime if its library exists and can be loaded, else with WebAssembly. */
export function openNetworks(onnxRuntime: string | null): RunNetwork {
  if (onnxRuntime === null) return runOnWebAssembly;
  try {
    return openOnnxRuntime(onnxRuntime);
  } catch {
    // The library is for another system: for example, this is Linux with a C library other than glibc.
    return runOnWebAssembly;
  }
}
