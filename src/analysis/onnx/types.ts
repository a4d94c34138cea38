/** The part of ONNX Runtime that is used here, common to its packages for Node and for the web. */
export type OnnxRuntime = Readonly<{
  env: { logLevel?: string };
  InferenceSession: { create: (model: string | Uint8Array, options: SessionOptions) => Promise<OnnxSession> };
  Tensor: new (type: string, data: TensorData, dims: readonly number[]) => OnnxTensor;
  listSupportedBackends?: () => readonly Readonly<{ name: string }>[];
}>;
type SessionOptions = Readonly<{
  executionProviders: readonly string[];
  intraOpNumThreads: number;
  interOpNumThreads: number;
  logSeverityLevel: number;
}>;
export type TensorData = Float32Array | Float64Array | BigInt64Array | Int32Array | Int8Array | Uint8Array;
/** The data of outputs are plain numbers: the tasks have no use for 64-bit integers, which only inputs are. */
export type OnnxTensor = Readonly<{ type: string; data: ArrayLike<number>; dims: readonly number[] }>;
export type OnnxSession = Readonly<{
  inputNames: readonly string[];
  outputNames: readonly string[];
  inputMetadata?: readonly Readonly<{ name: string; type?: string }>[];
  run: (feeds: Readonly<Record<string, OnnxTensor>>) => Promise<Readonly<Record<string, OnnxTensor>>>;
  release: () => Promise<void>;
}>;
