/** A part of a file: from `start` up to `end`. */
export type StoredRange = Readonly<{ start: number; end: number }>;

/** Stores files by name, in a folder or in a bucket. A rejected promise means that the store itself failed. */
export type FileStore = Readonly<{
  /** The file with this name, or a part of it; null if it is not stored. */
  read(name: string, range?: StoredRange): Promise<Buffer | null>;
  /** Stores a file entirely or not at all, replacing one of the same name. Its bytes may be in several pieces. */
  write(name: string, bytes: Buffer | readonly Buffer[]): Promise<void>;
  /** Removes a file. Not an error if there is none. */
  remove(name: string): Promise<void>;
  /** Resolves once no removal is in progress. */
  close(): Promise<void>;
}>;

/** Options of a store. */
export type StoreOptions = Readonly<{
  /** In a folder: beyond this many bytes, the least recently used files are removed. */
  maxBytes?: number;
  /** In a folder: whether a write resolves only when the file is on the disk. */
  isDurable?: boolean;
  /** In a bucket: how long a request may take. */
  timeoutMs?: number;
}>;
