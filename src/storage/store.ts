/** A part of a file: from `start` up to `end`. */
export type StoredRange = Readonly<{ start: number; end: number }>;

/** Keeps files by name, below a folder or in a bucket. What rejects is a fault of the store. */
export type FileStore = Readonly<{
  /** The file of this name, or a part of it; null where it is not kept. */
  read(name: string, range?: StoredRange): Promise<Buffer | null>;
  /** Keeps a file as a whole or not at all, in the place of one of the same name. Its bytes may be in several pieces. */
  write(name: string, bytes: Buffer | readonly Buffer[]): Promise<void>;
  /** Removes a file; one that is not kept counts as removed. */
  remove(name: string): Promise<void>;
  /** Resolves when nothing is being removed any more. */
  close(): Promise<void>;
}>;

/** What is kept in a store. */
export type StoreOptions = Readonly<{
  /** In a folder: beyond so many bytes those files go that were not used for longest. */
  maxBytes?: number;
  /** In a folder: whether a written file is on the disk before that is said. */
  isDurable?: boolean;
  /** From a bucket: how long a request may take. */
  timeoutMs?: number;
}>;
