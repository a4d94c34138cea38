import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Upload } from './upload.ts';

/** Uploads whose checksum is under way in this process; that of another one is computed from what is stored. */
const maxHashes = 2_000;

/** Checksums of files of which this process has seen every byte so far. */
export class RunningHashes {
  readonly #hashes = new LRUCache<string, { hash: Hash; length: number }>({ max: maxHashes });

  /** Adds bytes that follow what is there. @returns how many they are. */
  add({ id, received }: Upload, pieces: readonly Buffer[]): number {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (received === 0) this.#hashes.set(id, { hash: createHash('sha256'), length: 0 });
    const running = this.#hashes.get(id);
    if (running?.length !== received) {
      this.#hashes.delete(id);
      return length;
    }
    for (const piece of pieces) running.hash.update(piece);
    running.length += length;
    return length;
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
