/** Replaces kernels of TensorFlow.js on WebAssembly with our own, for the models in this folder. */

type TensorInfo = Readonly<{ dataId: object; shape: readonly number[]; dtype: string }>;

type Backend = Readonly<{
  makeOutput: (shape: readonly number[], dtype: string) => TensorInfo;
  typedArrayFromHeap: (tensor: TensorInfo) => Float32Array;
}>;

type KernelCall = Readonly<{
  backend: Backend;
  inputs: Readonly<Record<string, TensorInfo>>;
  attrs: Readonly<Record<string, unknown>>;
}>;

type Kernel = Readonly<{
  kernelName: string;
  backendName: string;
  kernelFunc: (call: KernelCall) => TensorInfo;
}>;

/** The part of TensorFlow.js that registers kernels. */
export type KernelRegistry = Readonly<{
  getKernel: (name: string, backend: string) => Kernel;
  unregisterKernel: (name: string, backend: string) => void;
  registerKernel: (kernel: Kernel) => void;
}>;

const backendName = 'wasm';

/** Replaces the kernels; the backend must have been started. */
export function replaceKernels(registry: KernelRegistry): void {
  const original = registry.getKernel('Mean', backendName);
  registry.unregisterKernel('Mean', backendName);
  registry.registerKernel({ ...original, kernelFunc: (call) => meanOverSpace(call, original.kernelFunc) });
}

/**
 * The mean of each channel over height and width. The backend's own kernel transposes the whole tensor first, which takes
 * seven times as long, a sixth of the time of CenterNet.
 */
function meanOverSpace(call: KernelCall, original: Kernel['kernelFunc']): TensorInfo {
  const { backend, inputs, attrs } = call;
  const { x } = inputs as Readonly<{ x: TensorInfo }>;
  const [batch, height = 0, width = 0, channels = 0] = x.shape;
  const isOverSpace = x.shape.length === 4 && batch === 1 && x.dtype === 'float32' && String(attrs['axis']) === '1,2';
  if (!isOverSpace) return original(call);
  const output = backend.makeOutput(attrs['keepDims'] === true ? [1, 1, 1, channels] : [1, channels], 'float32');
  // If the memory grows, views become invalid: both are taken after the output is allocated.
  const values = backend.typedArrayFromHeap(x);
  const sums = new Float64Array(channels);
  for (let at = 0; at < values.length; at += channels) {
    for (let channel = 0; channel < channels; channel += 1) {
      sums[channel] = (sums[channel] as number) + (values[at + channel] as number);
    }
  }
  const means = backend.typedArrayFromHeap(output);
  for (let channel = 0; channel < channels; channel += 1) means[channel] = (sums[channel] as number) / (height * width);
  return output;
}
