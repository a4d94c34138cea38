import { readFile } from 'node:fs/promises';
import { ModelError } from '../models/model-error.ts';
import { loadPackage } from '../models/find-package.ts';
import type { ModelEntry } from '../models/manifest.ts';
import { isLibrary } from './find-library.ts';
import { openLibraryRuntime } from './library-runtime.ts';
import type { OnnxRuntime, OnnxSession, OnnxTensor } from './types.ts';

/** A loaded network, and the device that it runs on. */
export type LoadedNetwork = Readonly<{ session: OnnxSession; device: string }>;

/** Execution providers that `auto` tries, if the runtime lists them. */
const gpus = ['cuda', 'dml', 'coreml'] as const;

/** Runs networks; besides them it needs only the path of its library or of an installed package. */
export class Runtime {
  readonly #ort: OnnxRuntime;
  readonly #threads: number;
  readonly #isForWeb: boolean;
  /** Execution providers that failed: `auto` does not try them again, since what they lack will not appear later. */
  readonly #absent = new Set<string>();

  /** @param path its library, or the main script of onnxruntime-node or onnxruntime-web. @param threads per run. */
  constructor(path: string, threads: number) {
    this.#ort = isLibrary(path) ? openLibraryRuntime(path) : (loadPackage(path) as OnnxRuntime);
    this.#ort.env.logLevel = 'fatal'; // Failures are in the errors that it throws.
    this.#threads = threads;
    this.#isForWeb = /onnxruntime-web/.test(path);
  }

  /**
   * Loads a network from its file or its bytes, on the GPU if there is one and the model may use it, else on the CPU.
   *
   * @throws ModelError if the runtime cannot load the file as a network, or if a GPU that was named is not available.
   */
  async load(file: string | Uint8Array, gpu: ModelEntry['gpu']): Promise<LoadedNetwork> {
    const model = this.#isForWeb && typeof file === 'string' ? await readFile(file) : file;
    for (const device of this.#devices(gpu)) {
      try {
        return { session: await this.#create(model, device), device };
      } catch (error) {
        this.#absent.add(device);
        if (device === gpu) throw new ModelError('not_available', `${gpu} cannot run it: ${(error as Error).message}`);
      }
    }
    const device = this.#isForWeb ? 'wasm' : 'cpu';
    try {
      return { session: await this.#create(model, device), device };
    } catch (error) {
      throw new ModelError('failed', `ONNX Runtime cannot load it: ${(error as Error).message}`);
    }
  }

  floats(values: Float32Array, dims: readonly number[]): OnnxTensor {
    return new this.#ort.Tensor('float32', values, dims);
  }

  /** Creates integers of the type that the network's input has. */
  integers(values: readonly number[], dims: readonly number[], session: OnnxSession, input: string): OnnxTensor {
    const type = session.inputMetadata?.find(({ name }) => name === input)?.type ?? 'int64';
    return type === 'int32'
      ? new this.#ort.Tensor(type, Int32Array.from(values), dims)
      : new this.#ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
  }

  #create(model: string | Uint8Array, device: string): Promise<OnnxSession> {
    return this.#ort.InferenceSession.create(model, {
      executionProviders: [device],
      intraOpNumThreads: this.#threads,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    });
  }

  #devices(gpu: ModelEntry['gpu']): readonly string[] {
    if (gpu === 'off') return [];
    if (gpu !== 'auto') return [gpu];
    const known = this.#ort.listSupportedBackends?.().map(({ name }) => name) ?? [];
    return gpus.filter((name) => known.includes(name) && !this.#absent.has(name));
  }
}
