import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Upload } from './upload.ts';

/** How many running checksums this process keeps; others are recomputed from what is stored. */
const maxHashes = 2_000;

/** The checksum of a file's first bytes. Only one request at a time holds it. */
export class RunningHash {
  readonly #hash: Hash = createHash('sha256');
  #length = 0;

  /** Number of bytes hashed so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds the next bytes, one network chunk at a time so as not to block the event loop for long. */
  add(piece: Buffer): void {
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  /** The checksum of a file of this length, in hexadecimal; null if the length differs. */
  of(length: number): string | null {
    return this.#length === length ? this.#hash.copy().digest('hex') : null;
  }
}

/** Checksums of files whose every byte so far went through this process. */
export class RunningHashes {
  readonly #hashes = new LRUCache<string, RunningHash>({ max: maxHashes });

  /** Takes out the running checksum of an upload; null if this process does not have it. */
  take({ id, received }: Upload): RunningHash | null {
    const running = received === 0 ? new RunningHash() : this.#hashes.get(id);
    this.#hashes.delete(id);
    return running?.length === received ? running : null;
  }

  /** Puts a checksum back for the next request, unless some of the bytes it covers were not stored. */
  giveBack({ id, received, state }: Upload, running: RunningHash | null): void {
    if (state === 'receiving' && running?.length === received) this.#hashes.set(id, running);
  }
}
