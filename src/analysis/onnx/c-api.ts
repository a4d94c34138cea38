import { createRequire } from 'node:module';
import process from 'node:process';

/** An address, or null for the null pointer. */
export type Pointer = bigint | null;

/** The part of koffi that is used here: it calls functions of a library by their addresses. */
type Koffi = Readonly<{
  load: (path: string) => Readonly<{ func: (name: string, result: string, parameters: readonly string[]) => Call }>;
  proto: (result: string, parameters: readonly unknown[]) => object;
  pointer: (type: string) => object;
  out: (type: object) => object;
  inout: (type: object) => object;
  array: (type: string, length: number) => object;
  decode: ((address: unknown, type: unknown) => unknown) & Readonly<{ string: (address: Pointer) => string }>;
  view: (address: Pointer, bytes: number) => ArrayBuffer;
}>;
type Call = (...values: readonly unknown[]) => unknown;

/** Windows takes paths as wide strings. */
const pathType = process.platform === 'win32' ? 'str16' : 'str';

/**
 * Functions of ONNX Runtime that return a status: their index in the table `OrtApi`, and their parameters. Taken from
 * onnxruntime_c_api.h, which only ever appends functions and never changes existing ones.
 */
const functions = {
  CreateEnv: [3, ['int', 'str', 'out void *']],
  CreateSession: [7, ['void *', pathType, 'void *', 'out void *']],
  CreateSessionFromArray: [8, ['void *', 'void *', 'size_t', 'void *', 'out void *']],
  Run: [9, ['void *', 'void *', 'str *', 'void **', 'size_t', 'str *', 'size_t', 'inout void *']],
  CreateSessionOptions: [10, ['out void *']],
  DisableMemPattern: [17, ['void *']],
  SetIntraOpNumThreads: [24, ['void *', 'int']],
  SetInterOpNumThreads: [25, ['void *', 'int']],
  SessionGetInputCount: [30, ['void *', 'out size_t']],
  SessionGetOutputCount: [31, ['void *', 'out size_t']],
  SessionGetInputTypeInfo: [33, ['void *', 'size_t', 'out void *']],
  SessionGetInputName: [36, ['void *', 'size_t', 'void *', 'out void *']],
  SessionGetOutputName: [37, ['void *', 'size_t', 'void *', 'out void *']],
  CreateTensorWithDataAsOrtValue: [49, ['void *', 'void *', 'size_t', 'void *', 'size_t', 'int', 'out void *']],
  GetTensorMutableData: [51, ['void *', 'out void *']],
  CastTypeInfoToTensorInfo: [55, ['void *', 'out void *']],
  GetTensorElementType: [60, ['void *', 'out int']],
  GetDimensionsCount: [61, ['void *', 'out size_t']],
  GetDimensions: [62, ['void *', 'void *', 'size_t']],
  GetTensorTypeAndShape: [65, ['void *', 'out void *']],
  CreateCpuMemoryInfo: [69, ['int', 'int', 'out void *']],
  AllocatorFree: [76, ['void *', 'void *']],
  GetAllocatorWithDefaultOptions: [78, ['out void *']],
} as const satisfies Record<string, readonly [number, readonly string[]]>;
type Name = keyof typeof functions;

/** Functions that free what others have created, by their index in the table. */
const releases = {
  Status: 93,
  Session: 95,
  Value: 96,
  TypeInfo: 98,
  TensorTypeAndShapeInfo: 99,
  SessionOptions: 100,
} as const;

const getErrorMessage = 2;
const tableLength = 102;
/** The first version with all of these functions, `Resize` with axes, and support for models of 2023. */
const apiVersion = 17;

/** ONNX Runtime's C functions, called from this thread. */
export class OnnxApi {
  readonly #koffi: Koffi;
  /**
   * Held because the library would otherwise be unloaded with its last reference, while its functions could still be
   * called.
   */
  readonly library: unknown;
  readonly #calls: Readonly<Record<string, Call>>;

  /** @throws Error if the library cannot be loaded here or is too old. */
  constructor(path: string) {
    const koffi = createRequire(import.meta.url)('koffi') as Koffi;
    const library = koffi.load(path);
    const [getApi] = koffi.decode(library.func('OrtGetApiBase', 'void *', [])(), koffi.array('void *', 2)) as Pointer[];
    const table = (koffi.decode(getApi, koffi.proto('void *', ['uint32_t'])) as Call)(apiVersion);
    if (table === null) throw new Error(`ONNX Runtime of ${path} has no API of version ${apiVersion}`);
    const addresses = koffi.decode(table, koffi.array('void *', tableLength)) as Pointer[];
    const bind = (place: number, result: string, parameters: readonly string[]) =>
      koffi.decode(addresses[place], koffi.proto(result, parameters.map((each) => typeOf(koffi, each)))) as Call; // prettier-ignore
    this.#koffi = koffi;
    this.library = library;
    this.#calls = Object.fromEntries([
      ['GetErrorMessage', bind(getErrorMessage, 'str', ['void *'])],
      ...Object.entries(functions).map(([name, [place, parameters]]) => [name, bind(place, 'void *', parameters)]),
      ...Object.entries(releases).map(([name, place]) => [`Release${name}`, bind(place, 'void', ['void *'])]),
    ]) as Record<string, Call>;
  }

  /** Calls a function. @throws Error with the message of ONNX Runtime. */
  run(name: Name, ...values: readonly unknown[]): void {
    const status = this.#call(name, values) as Pointer;
    if (status === null) return;
    const message = this.#call('GetErrorMessage', [status]) as string;
    this.release('Status', status);
    throw new Error(message);
  }

  /** Calls a function that writes its result to its last parameter, and returns it. @throws Error, as `run`. */
  get(name: Name, ...values: readonly unknown[]): Pointer {
    const result: [Pointer] = [null];
    this.run(name, ...values, result);
    return result[0];
  }

  /** The same for a result that is a number. */
  count(name: Name, ...values: readonly unknown[]): number {
    return Number(this.get(name, ...values));
  }

  release(what: keyof typeof releases, address: Pointer): void {
    this.#call(`Release${what}`, [address]);
  }

  /** Returns a copy of memory. */
  copy(address: Pointer, bytes: number): ArrayBuffer {
    return bytes === 0 ? new ArrayBuffer(0) : this.#koffi.view(address, bytes).slice(0);
  }

  /** Returns the text at an address. */
  text(address: Pointer): string {
    return this.#koffi.decode.string(address);
  }

  #call(name: string, values: readonly unknown[]): unknown {
    return this.#calls[name]?.(...values);
  }
}

/** A parameter as a type of koffi: `out` is a pointer to which the function writes, `inout` an array that it fills. */
function typeOf(koffi: Koffi, parameter: string): unknown {
  const [, direction, type] = /^(out|inout) (.*)$/.exec(parameter) ?? [];
  if (type === undefined) return parameter;
  return koffi[direction === 'out' ? 'out' : 'inout'](koffi.pointer(type));
}
