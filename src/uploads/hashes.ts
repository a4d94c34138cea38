import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Uploads whose checksum is under way in this process; that of another one is computed from what is stored. */
const maxHashes = 2_000;

/** Checksums of files of which this process has seen every byte so far. */
export class RunningHashes {
  readonly #hashes = new LRUCache<string, { hash: Hash; length: number }>({ max: maxHashes });

  /** Adds bytes that follow so many others. */
  add(id: string, offset: number, bytes: Buffer): void {
    if (offset === 0) this.#hashes.set(id, { hash: createHash('sha256'), length: 0 });
    const running = this.#hashes.get(id);
    if (running === undefined) return;
    if (running.length !== offset) return void this.#hashes.delete(id);
    running.hash.update(bytes);
    running.length += bytes.length;
  }

  /** The checksum of a file of this length; null where it is not known here. */
  of(id: string, length: number): string | null {
    const running = this.#hashes.get(id);
    return running?.length === length ? running.hash.copy().digest('hex') : null;
  }

  /** The file is complete, or what was added last was not stored. */
  forget(id: string): void {
    this.#hashes.delete(id);
  }
}
