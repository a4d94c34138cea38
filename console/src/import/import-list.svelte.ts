import { idOfFile, resourceOfFile } from '../../../src/catalog/media-files.ts';
import type { OnDuplicate } from '../api/documents.ts';
import type { ChosenFile } from './dropped.ts';
import { startUpload } from './upload.ts';
import type { RunningUpload } from './upload.ts';
import { failuresOf, writeBatch } from './write-batch.ts';

export type ItemState = 'waiting' | 'sending' | 'paused' | 'sent' | 'lost' | 'storing' | 'stored' | 'failed';
type Resource = 'image' | 'video';

/** A file of the import. */
export class ImportItem {
  readonly path: string;
  readonly size: number;
  readonly resource: Resource;
  file: File | null;
  srcPath = $state<string | null>(null);
  state = $state<ItemState>('waiting');
  sent = $state(0);
  reason = $state('');
  upload: RunningUpload | null = null;

  constructor({
    path,
    size,
    file,
    srcPath,
  }: Readonly<{ path: string; size: number; file: File | null; srcPath: string | null }>) {
    [this.path, this.size, this.file] = [path, size, file];
    this.srcPath = srcPath;
    this.resource = resourceOfFile(path) ?? 'image';
    if (srcPath !== null) [this.state, this.sent] = ['sent', size];
    else if (file === null) this.state = 'lost';
  }
}

/** A write of files that are uploaded, or a check of it. */
export type ImportWrite = Readonly<{ id: number; isDryRun: boolean; items: readonly ImportItem[] }>;

/** Uploads of one page at the same time. */
const parallel = 3;
/** Files of one operation. */
const perOperation = 10_000;
const storageName = 'vitrine:import';

/** Files on their way into the catalog. They are remembered until they are stored, also when the page is closed. */
export class ImportList {
  items = $state<ImportItem[]>(remembered());
  writes = $state.raw<readonly ImportWrite[]>([]);
  isPaused = $state(false);
  isWaiting = $state(false);
  isWriting = $state(false);
  passedOver = $state(0);
  fault = $state.raw<unknown>(null);

  /** Files that are the sources of rows of a table: they are stored with these. */
  claimed = $state.raw<ReadonlySet<ImportItem>>(new Set());

  readonly ready = $derived(this.items.filter((item) => item.state === 'sent' && !this.claimed.has(item)));
  readonly failed = $derived(this.items.filter(({ state }) => state === 'failed'));
  readonly numStored = $derived(this.items.filter(({ state }) => state === 'stored').length);
  readonly isSending = $derived(this.items.some(({ state }) => ['waiting', 'sending', 'paused'].includes(state)));

  add(files: readonly ChosenFile[]): void {
    const media = files.filter(({ path }) => resourceOfFile(path) !== null);
    this.passedOver = files.length - media.length;
    for (const { path, file } of media) {
      const known = this.items.find((item) => item.path === path);
      if (known === undefined) this.items.push(new ImportItem({ path, size: file.size, file, srcPath: null }));
      else if (['lost', 'stored', 'failed'].includes(known.state)) {
        this.items.splice(this.items.indexOf(known), 1, new ImportItem({ path, size: file.size, file, srcPath: null }));
      }
    }
    this.#changed();
  }

  remove(item: ImportItem): void {
    item.upload?.pause();
    this.items = this.items.filter((each) => each !== item);
    this.#changed();
  }

  removeStored(): void {
    this.items = this.items.filter(({ state }) => state !== 'stored');
    this.writes = [];
  }

  pause(): void {
    this.isPaused = true;
    for (const item of this.items) {
      if (item.state !== 'sending') continue;
      item.upload?.pause();
      item.state = 'paused';
    }
  }

  resume(): void {
    this.isPaused = false;
    for (const item of this.items) if (item.state === 'paused') item.state = 'waiting';
    this.#changed();
  }

  /** Notes that files were stored with the rows of a table. */
  stored(items: readonly ImportItem[]): void {
    for (const item of items) item.state = 'stored';
    this.#changed();
  }

  /** Files that failed go on from where they failed. */
  retry(): void {
    for (const item of this.failed) {
      item.reason = '';
      item.state = item.srcPath !== null ? 'sent' : item.file === null ? 'lost' : 'waiting';
    }
    this.#changed();
  }

  /** Stores what is uploaded, or reports what storing would do. */
  async write(isDryRun: boolean, onDuplicate: OnDuplicate | null): Promise<void> {
    this.isWriting = true;
    this.fault = null;
    try {
      for (const resource of ['image', 'video'] as const) {
        const items = this.ready.filter((item) => item.resource === resource).slice(0, perOperation);
        if (items.length === 0) continue;
        const elements = items.map(({ path, srcPath }) => ({ id: idOfFile(path), values: { srcPath } }));
        const rules = { dryRun: isDryRun, onDuplicate, idempotencyKey: null };
        const id = await writeBatch({ resource, elements, lang: null }, rules);
        if (!isDryRun) for (const item of items) item.state = 'storing';
        this.writes = [...this.writes.filter((each) => !each.isDryRun), { id, isDryRun, items }];
      }
    } catch (error) {
      this.fault = error;
    } finally {
      this.isWriting = false;
    }
  }

  /** What an operation that has stored everything means for its files. */
  async ended({ id, items, isDryRun }: ImportWrite): Promise<void> {
    const failures = await failuresOf(id);
    items.forEach((item, position) => {
      const failure = failures.get(position);
      if (failure !== undefined) [item.state, item.reason] = ['failed', failure.msg];
      else if (!isDryRun) item.state = 'stored';
    });
    this.#changed();
  }

  stop(): void {
    for (const item of this.items) item.upload?.pause();
  }

  #changed(): void {
    remember(this.items);
    if (this.isPaused) return;
    const sending = this.items.filter(({ state }) => state === 'sending').length;
    for (const item of this.items
      .filter(({ state }) => state === 'waiting')
      .slice(0, Math.max(0, parallel - sending))) {
      this.#send(item);
    }
  }

  #send(item: ImportItem): void {
    if (item.file === null) return;
    item.state = 'sending';
    item.upload = startUpload(item.file, {
      sent: (bytes) => void (item.sent = bytes),
      waits: (isWaiting) => void (this.isWaiting = isWaiting),
      done: (srcPath) => {
        [item.srcPath, item.sent, item.state] = [srcPath, item.size, 'sent'];
        this.#changed();
      },
      failed: (reason) => {
        [item.state, item.reason] = ['failed', reason];
        this.#changed();
      },
    });
  }
}

type Remembered = Readonly<{ path: string; size: number; srcPath: string | null }>;

function remember(items: readonly ImportItem[]): void {
  const left = items.filter(({ state }) => state !== 'stored');
  const kept = left.map(({ path, size, srcPath }): Remembered => ({ path, size, srcPath }));
  localStorage.setItem(storageName, JSON.stringify(kept));
}

function remembered(): ImportItem[] {
  try {
    const kept = JSON.parse(localStorage.getItem(storageName) ?? '[]') as readonly Remembered[];
    return kept.map((each) => new ImportItem({ ...each, file: null }));
  } catch {
    return [];
  }
}
