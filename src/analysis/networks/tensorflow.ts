import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadOnce, loadOnceEach } from '../../lib/load-once.ts';
import { replaceKernels } from './kernels.ts';
import type { KernelRegistry } from './kernels.ts';
import { assetsFolder, readGraph } from './network.ts';
import type { Output, RunNetwork } from './network.ts';

/** The part of TensorFlow.js 4.22 that is used here. */
type Tensor = Readonly<{
  shape: readonly number[];
  size: number;
  dataSync: () => Float32Array;
  dispose: () => void;
}>;

type GraphModel = Readonly<{
  execute: (input: Tensor, outputs?: string | readonly string[]) => Tensor | Tensor[];
}>;

type TensorFlow = KernelRegistry &
  Readonly<{
    env: () => { setPlatform: (name: string, platform: object) => void; set: (flag: string, value: boolean) => void };
    setWasmPaths: (paths: Readonly<Record<string, string>>, usePlatformFetch: boolean) => void;
    setBackend: (name: string) => Promise<boolean>;
    loadGraphModel: (source: Readonly<{ load: () => Promise<object> }>) => Promise<GraphModel>;
    tensor4d: (values: Float32Array, shape: readonly [number, number, number, number]) => Tensor;
    tidy: (work: () => void) => void;
  }>;

const wasm = 'tfjs-backend-wasm-simd.wasm';
const wasmFile = join(assetsFolder, wasm);

/** Loads TensorFlow.js on WebAssembly, once per thread. */
const loadTensorFlow = loadOnce(startTensorFlow);

async function startTensorFlow(): Promise<TensorFlow> {
  // The bundle is built for browsers: it must take this thread for a web worker, because its Node branch requires
  // modules that were left out; and its WASM part looks for a folder of its own.
  Object.assign(globalThis, { WorkerGlobalScope: Object, __dirname: assetsFolder });
  const tf = (await import(pathToFileURL(join(assetsFolder, 'tfjs.esm.js')).href)) as TensorFlow;
  Reflect.deleteProperty(globalThis, 'WorkerGlobalScope');
  // Changing the platform logs a warning, except in production.
  tf.env().set('PROD', true);
  tf.env().setPlatform('vitrine', platform);
  const paths = Object.fromEntries(
    [wasm, 'tfjs-backend-wasm.wasm', 'tfjs-backend-wasm-threaded-simd.wasm'].map((name) => [name, wasmFile]),
  );
  tf.setWasmPaths(paths, true);
  if (!(await tf.setBackend('wasm'))) throw new Error('the WASM backend of TensorFlow.js does not start');
  Reflect.deleteProperty(globalThis, '__dirname');
  replaceKernels(tf);
  return tf;
}

/** The platform functions that TensorFlow.js needs. It has no network access. */
const platform = {
  fetch: async (path: string) =>
    new Response(await readFile(path), { headers: { 'content-type': 'application/wasm' } }),
  now: () => performance.now(),
  encode: (text: string) => new TextEncoder().encode(text),
  decode: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
  isTypedArray: (value: unknown) =>
    value instanceof Float32Array ||
    value instanceof Int32Array ||
    value instanceof Uint8Array ||
    value instanceof Uint8ClampedArray,
  setTimeoutCustom: (work: () => void, delay: number) => setTimeout(work, delay),
};

/** Loads a network, once per thread. */
const loadModel = loadOnceEach(readModel);

/** Loads a network so that it accepts pictures of any size. */
async function readModel(name: string, input: string): Promise<GraphModel> {
  const [tf, { modelTopology, ...weights }] = await Promise.all([loadTensorFlow(), readGraph(name)]);
  const sizes = modelTopology.node.find((node) => node.name === input)?.attr?.['shape']?.shape?.dim ?? [];
  for (const [axis, dim] of sizes.entries()) if (axis === 1 || axis === 2) dim.size = '-1';
  return tf.loadGraphModel({ load: () => Promise.resolve({ modelTopology, ...weights }) });
}

/** Runs a network with TensorFlow.js on WebAssembly, which works on every machine. */
export const runOnWebAssembly: RunNetwork = async ({ name, input, outputs }, pixels, [width, height]) => {
  const [tf, model] = await Promise.all([loadTensorFlow(), loadModel(name, input)]);
  let results: readonly Output[] = [];
  // The callback returns nothing: return values are searched for tensors, number by number.
  tf.tidy(() => {
    const found = model.execute(tf.tensor4d(pixels, [1, height, width, 3]), outputs);
    results = [found].flat().map((tensor) => ({ values: tensor.dataSync(), shape: tensor.shape }));
  });
  return results;
};
