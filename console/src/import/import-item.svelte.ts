import { idOfFile, resourceOfFile } from '../../../src/catalog/media-files.ts';
import type { RunningUpload } from './upload.ts';

export type ItemState = 'waiting' | 'sending' | 'paused' | 'sent' | 'lost' | 'storing' | 'stored' | 'failed';
export type Resource = 'image' | 'video';

/** What is kept of a file when its page is closed. */
export type KeptItem = Readonly<{
  path: string;
  size: number;
  srcPath: string | null;
  /** Why it was not uploaded or stored. */
  reason?: string;
  /** The id of its record, if it is not the one derived from its path. */
  id?: string;
  /** Whether that id belongs to another record. */
  isTaken?: boolean;
}>;

/** A file of the import. */
export class ImportItem {
  readonly path: string;
  readonly size: number;
  readonly resource: Resource;
  /** Null for a file that is only remembered. */
  readonly file: File | null;
  srcPath = $state<string | null>(null);
  state = $state<ItemState>('waiting');
  sent = $state(0);
  reason = $state('');
  /** The id of its record. */
  id = $state('');
  /** Whether this id belongs to another record. */
  isTaken = $state(false);
  upload: RunningUpload | null = null;

  constructor({ path, size, srcPath, reason = '', id, isTaken = false }: KeptItem, file: File | null) {
    [this.path, this.size, this.file] = [path, size, file];
    this.id = id ?? idOfFile(path);
    this.srcPath = srcPath;
    this.resource = resourceOfFile(path) ?? 'image';
    this.state = this.#begins;
    if (srcPath !== null) this.sent = size;
    if (reason !== '') this.fail(reason, isTaken);
  }

  get kept(): KeptItem {
    const { path, size, srcPath, reason, id, isTaken } = this;
    return { path, size, srcPath, reason, id, isTaken };
  }

  /** Whether it has not been uploaded yet, but will be. */
  get isSending(): boolean {
    return this.state === 'waiting' || this.state === 'sending' || this.state === 'paused';
  }

  /** Notes why it was not uploaded or stored. */
  fail(reason: string, isTaken = false): void {
    [this.state, this.reason, this.isTaken] = ['failed', reason, isTaken];
  }

  /** Resumes where it failed. */
  retry(): void {
    [this.state, this.reason, this.isTaken] = [this.#begins, '', false];
  }

  /** Resumes with an id other than the one that is taken. */
  rename(id: string): void {
    this.id = id;
    this.retry();
  }

  pause(): void {
    if (this.state !== 'sending') return;
    this.upload?.pause();
    this.state = 'paused';
  }

  get #begins(): ItemState {
    if (this.srcPath !== null) return 'sent';
    return this.file === null ? 'lost' : 'waiting';
  }
}
