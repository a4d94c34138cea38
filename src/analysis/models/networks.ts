import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ModelEntry, ModelFile } from './manifest.ts';
import { ModelError } from './model-error.ts';
import type { LoadedNetwork, Runtime } from '../onnx/runtime.ts';

type Kept = LoadedNetwork & Readonly<{ bytes: number }>;

type NetworksOptions = Readonly<{
  runtime: Runtime;
  modelsDir: string;
  /** Memory in bytes for the files of all loaded networks. */
  memoryBytes: number;
}>;

/** Networks in memory: the least recently used ones are released to make room for others. */
export class Networks {
  readonly #options: NetworksOptions;
  /** In the order of their last use, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #checked = new Set<string>();
  #device = '';

  constructor(options: NetworksOptions) {
    this.#options = options;
  }

  /** The execution provider of the network that was opened last. */
  get device(): string {
    return this.#device;
  }

  /**
   * Returns a network of a model, loading and checking it at first use. Finish with one network before opening
   * another: each call may release the network that an earlier one returned.
   *
   * @throws ModelError
   */
  async open(file: ModelFile, { name, gpu }: ModelEntry): Promise<LoadedNetwork> {
    const key = `${file.path} ${gpu}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      this.#device = kept.device;
      return kept;
    }
    const path = await this.check(file);
    const { size: bytes } = await stat(path);
    await this.#makeRoom(bytes, name);
    const loaded = { ...(await this.#options.runtime.load(path, gpu)), bytes };
    this.#kept.set(key, loaded);
    this.#device = loaded.device;
    return loaded;
  }

  /** Returns the path of a file after checking that it has the digest stated in models.json. @throws ModelError */
  async check({ path, sha256 }: ModelFile): Promise<string> {
    const whole = join(this.#options.modelsDir, path);
    if (this.#checked.has(path)) return whole;
    const actual = await digestOfFile(whole).catch((error: unknown) => {
      throw new ModelError('not_available', `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    });
    if (actual !== sha256) {
      throw new ModelError('not_available', `${path} has the SHA-256 ${actual}, and models.json says ${sha256}`);
    }
    this.#checked.add(path);
    return whole;
  }

  async #makeRoom(bytes: number, name: string): Promise<void> {
    const { memoryBytes } = this.#options;
    if (bytes > memoryBytes) {
      const [needed, most] = [bytes, memoryBytes].map((size) => `${Math.ceil(size / 2 ** 20)} MiB`);
      throw new ModelError('out_of_memory', `${name} needs ${needed}, more than MODELS_MEMORY allows (${most})`);
    }
    let used = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [key, kept] of this.#kept) {
      if (used + bytes <= memoryBytes) return;
      this.#kept.delete(key);
      used -= kept.bytes;
      await kept.session.release();
    }
  }
}

/** The hexadecimal SHA-256 of a file of any size. */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}
