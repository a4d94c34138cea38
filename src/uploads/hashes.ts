import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Upload } from './upload.ts';

/** Maximum number of uploads whose running checksum this process keeps; the others are computed from what is stored. */
const maxHashes = 2_000;

/** The checksum of the first bytes of a file. Only one request at a time holds it. */
export class RunningHash {
  readonly #hash: Hash = createHash('sha256');
  #length = 0;

  /** Number of bytes that it covers. */
  get length(): number {
    return this.#length;
  }

  /** Adds the bytes that follow, one piece from the network at a time, so that the event loop is not blocked for long. */
  add(piece: Buffer): void {
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  /** The checksum of a file of this length, in hexadecimal; null if the length differs. */
  of(length: number): string | null {
    return this.#length === length ? this.#hash.copy().digest('hex') : null;
  }
}

/** Checksums of files of which this process has seen every byte so far. */
export class RunningHashes {
  readonly #hashes = new LRUCache<string, RunningHash>({ max: maxHashes });

  /** Takes out the checksum of what has arrived of an upload; null if this process does not have it. */
  take({ id, received }: Upload): RunningHash | null {
    const running = received === 0 ? new RunningHash() : this.#hashes.get(id);
    this.#hashes.delete(id);
    return running?.length === received ? running : null;
  }

  /** Keeps a checksum for the request that continues, unless some of what it covers was not stored. */
  giveBack({ id, received, state }: Upload, running: RunningHash | null): void {
    if (state === 'receiving' && running?.length === received) this.#hashes.set(id, running);
  }
}
