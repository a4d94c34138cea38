import { createHash, webcrypto } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Upload } from './upload.ts';

/** Uploads whose checksum is under way in this process; that of another one is computed from what is stored. */
const maxHashes = 2_000;

/** Checksums of files of which this process has seen every byte so far. */
export class RunningHashes {
  readonly #hashes = new LRUCache<string, { hash: Hash | string; length: number }>({ max: maxHashes });

  /** Adds bytes that follow what is there. */
  async add({ id, received, length }: Upload, bytes: Buffer): Promise<void> {
    if (received === 0 && bytes.length === length) {
      // A whole file: another thread does it.
      const digest = await webcrypto.subtle.digest('SHA-256', bytes);
      return void this.#hashes.set(id, { hash: Buffer.from(digest).toString('hex'), length });
    }
    if (received === 0) this.#hashes.set(id, { hash: createHash('sha256'), length: 0 });
    const running = this.#hashes.get(id);
    if (running === undefined) return;
    if (running.length !== received || typeof running.hash === 'string') return void this.#hashes.delete(id);
    running.hash.update(bytes);
    running.length += bytes.length;
  }

  /** The checksum of a file of this length; null where it is not known here. */
  of(id: string, length: number): string | null {
    const running = this.#hashes.get(id);
    if (running?.length !== length) return null;
    return typeof running.hash === 'string' ? running.hash : running.hash.copy().digest('hex');
  }

  /** The file is complete, or what was added last was not stored. */
  forget(id: string): void {
    this.#hashes.delete(id);
  }
}
