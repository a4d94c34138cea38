import { OnnxApi } from './c-api.ts';
import type { Pointer } from './c-api.ts';
import type { OnnxRuntime, OnnxSession, OnnxTensor, TensorData } from './types.ts';

/** Element types: their number in `ONNXTensorElementDataType`, and the arrays that hold them. */
const elementTypes = {
  float32: [1, Float32Array],
  uint8: [2, Uint8Array],
  int8: [3, Int8Array],
  int32: [6, Int32Array],
  int64: [7, BigInt64Array],
  bool: [9, Uint8Array],
  float64: [11, Float64Array],
} as const;
type ElementType = keyof typeof elementTypes;

/** Constants of the C API: only fatal errors are logged; memory comes from a CPU arena. */
const fatal = 4;
const arena = 1;
const ordinaryMemory = 0;

class LibraryTensor implements OnnxTensor {
  readonly type: string;
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];

  constructor(type: string, data: TensorData, dims: readonly number[]) {
    this.type = type;
    this.data = data as ArrayLike<number>;
    this.dims = dims;
  }
}

/**
 * ONNX Runtime through the C functions of its library, with the interface of its package for Node. It runs on the CPU.
 *
 * @throws Error if the library cannot be loaded here.
 */
export function openLibraryRuntime(path: string): OnnxRuntime {
  const api = new OnnxApi(path);
  const environment = api.get('CreateEnv', fatal, 'vitrine');
  const memory = api.get('CreateCpuMemoryInfo', arena, ordinaryMemory);
  return {
    env: {},
    Tensor: LibraryTensor,
    InferenceSession: {
      create: (model, { executionProviders: [device = ''], intraOpNumThreads, interOpNumThreads }) => {
        if (device !== 'cpu') throw new Error(`this library has no ${device}`);
        const options = api.get('CreateSessionOptions');
        try {
          // Memory patterns, which plan the memory of a run, take a third more memory and save no time.
          api.run('DisableMemPattern', options);
          api.run('SetIntraOpNumThreads', options, intraOpNumThreads);
          api.run('SetInterOpNumThreads', options, interOpNumThreads);
          const session =
            typeof model === 'string'
              ? api.get('CreateSession', environment, model, options)
              : api.get('CreateSessionFromArray', environment, model, model.byteLength, options);
          return Promise.resolve(new LibrarySession(api, session, memory));
        } finally {
          api.release('SessionOptions', options);
        }
      },
    },
  };
}

/** A loaded network. */
class LibrarySession implements OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly Readonly<{ name: string; type: string }>[];
  readonly #api: OnnxApi;
  readonly #memory: Pointer;
  #session: Pointer;

  constructor(api: OnnxApi, session: Pointer, memory: Pointer) {
    this.#api = api;
    this.#session = session;
    this.#memory = memory;
    this.inputNames = this.#names('Input');
    this.outputNames = this.#names('Output');
    this.inputMetadata = this.inputNames.map((name, index) => ({ name, type: this.#typeOfInput(index) }));
  }

  /** Runs the network in this thread. @throws Error of ONNX Runtime, for example for an input of another shape. */
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>> {
    const names = Object.keys(feeds);
    const inputs: Pointer[] = [];
    const outputs: Pointer[] = this.outputNames.map(() => null);
    try {
      for (const tensor of Object.values(feeds)) inputs.push(this.#write(tensor));
      const { length } = outputs;
      this.#api.run('Run', this.#session, null, names, inputs, names.length, this.outputNames, length, outputs);
      const found = this.outputNames.map((name, index) => [name, this.#read(outputs[index] ?? null)] as const);
      return Promise.resolve(Object.fromEntries(found));
    } finally {
      for (const value of [...inputs, ...outputs]) if (value !== null) this.#api.release('Value', value);
    }
  }

  release(): Promise<void> {
    if (this.#session !== null) this.#api.release('Session', this.#session);
    this.#session = null;
    return Promise.resolve();
  }

  #names(which: 'Input' | 'Output'): string[] {
    const allocator = this.#api.get('GetAllocatorWithDefaultOptions');
    const count = this.#api.count(`SessionGet${which}Count`, this.#session);
    return Array.from({ length: count }, (_, index) => {
      const address = this.#api.get(`SessionGet${which}Name`, this.#session, index, allocator);
      const name = this.#api.text(address);
      this.#api.run('AllocatorFree', allocator, address);
      return name;
    });
  }

  #typeOfInput(index: number): string {
    const info = this.#api.get('SessionGetInputTypeInfo', this.#session, index);
    try {
      const shape = this.#api.get('CastTypeInfoToTensorInfo', info);
      return shape === null ? 'other' : (this.#elementType(shape) ?? 'other');
    } finally {
      this.#api.release('TypeInfo', info);
    }
  }

  #elementType(shape: Pointer): ElementType | undefined {
    const number = this.#api.count('GetTensorElementType', shape);
    return (Object.keys(elementTypes) as ElementType[]).find((name) => elementTypes[name][0] === number);
  }

  /** Creates a value that uses the memory of the tensor. */
  #write({ type, data, dims }: OnnxTensor): Pointer {
    const [number] = elementTypes[type as ElementType];
    const shape = BigInt64Array.from(dims, BigInt);
    const { byteLength } = data as Float32Array;
    return this.#api.get('CreateTensorWithDataAsOrtValue', this.#memory, data, byteLength, shape, dims.length, number);
  }

  /** Copies a value. @throws Error if its element type is not supported. */
  #read(value: Pointer): OnnxTensor {
    const shape = this.#api.get('GetTensorTypeAndShape', value);
    try {
      const type = this.#elementType(shape);
      if (type === undefined) throw new Error('an output has a type of elements that is not supported');
      const sizes = new BigInt64Array(this.#api.count('GetDimensionsCount', shape));
      this.#api.run('GetDimensions', shape, sizes, sizes.length);
      const dims = Array.from(sizes, Number);
      const [, Elements] = elementTypes[type];
      const bytes = dims.reduce((product, size) => product * size, Elements.BYTES_PER_ELEMENT);
      const data = this.#api.copy(this.#api.get('GetTensorMutableData', value), bytes);
      return new LibraryTensor(type, new Elements(data), dims);
    } finally {
      this.#api.release('TensorTypeAndShapeInfo', shape);
    }
  }
}
