import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Upload } from './upload.ts';

/** Uploads whose checksum is under way in this process; that of another one is computed from what is stored. */
const maxHashes = 2_000;

/** The checksum of the first bytes of a file. One request at a time has it. */
export class RunningHash {
  readonly #hash: Hash = createHash('sha256');
  #length = 0;

  /** How many bytes it covers. */
  get length(): number {
    return this.#length;
  }

  /** Adds the bytes that follow: those of one piece from the network, so that the event loop is not held for long. */
  add(piece: Buffer): void {
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  /** The checksum of a file of this length, in hexadecimal; null of another one. */
  of(length: number): string | null {
    return this.#length === length ? this.#hash.copy().digest('hex') : null;
  }
}

/** Checksums of files of which this process has seen every byte so far. */
export class RunningHashes {
  readonly #hashes = new LRUCache<string, RunningHash>({ max: maxHashes });

  /** Hands over that of what has arrived of an upload; null where this process does not know it. */
  take({ id, received }: Upload): RunningHash | null {
    const running = received === 0 ? new RunningHash() : this.#hashes.get(id);
    this.#hashes.delete(id);
    return running?.length === received ? running : null;
  }

  /** Keeps one for the request that goes on, unless not all that it covers was stored. */
  giveBack({ id, received, state }: Upload, running: RunningHash | null): void {
    if (state === 'receiving' && running?.length === received) this.#hashes.set(id, running);
  }
}
