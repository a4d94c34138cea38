import { elementProblem } from '../i18n/problem-of.ts';
import { resourceOfFile } from '../../../src/catalog/media-files.ts';
import { maxElements } from '../../../src/operations/max-elements.ts';
import type { OnDuplicate } from '../api/documents.ts';
import { isAbort } from '../api/graphql.ts';
import { isAway, patiently } from '../api/patiently.ts';
import { Waiting } from '../api/waiting.svelte.ts';
import { newKey } from '../api/write-once.ts';
import type { ChosenFile } from './dropped.ts';
import { ImportItem } from './import-item.svelte.ts';
import { keepList, keptList } from './kept-list.ts';
import type { KeptWrite } from './kept-list.ts';
import { preferences } from '../state/preferences.svelte.ts';
import { startUpload } from './upload.ts';
import { failuresOf, writeBatch } from './write-batch.ts';
import type { Failure } from './write-batch.ts';

/** A write of uploaded files, or a check of it. */
export type ImportWrite = Readonly<{
  /** The number of its operation. */
  id: number;
  isDryRun: boolean;
  items: readonly ImportItem[];
  /** The idempotency key of the write. */
  key: string;
}>;

/**
 * Simultaneous uploads of one page: browsers open six connections to a service, and other requests need some of them.
 */
const parallel = 4;

/** Files on their way into the catalog. They are remembered until they are stored, even if the page is closed. */
export class ImportList {
  items = $state<ImportItem[]>([]);
  writes = $state.raw<readonly ImportWrite[]>([]);
  isPaused = $state(false);
  /** Whether uploads are waiting for the service. */
  isWaiting = $state(false);
  isWriting = $state(false);
  passedOver = $state(0);
  fault = $state.raw<unknown>(null);
  /** The reason why writes wait. */
  readonly waiting = new Waiting();
  /** Writes that were started but have not finished. */
  #begun: readonly KeptWrite[] = [];
  /** Repeats what failed. */
  #again: () => Promise<void> = () => this.#sendBegun();

  /** Files that are the sources of rows of a table: they are stored with these rows. */
  claimed = $state.raw<ReadonlySet<ImportItem>>(new Set());

  readonly ready = $derived(this.items.filter((item) => item.state === 'sent' && !this.claimed.has(item)));
  readonly failed = $derived(this.items.filter(({ state }) => state === 'failed'));
  /** Failed files that may succeed if they are tried again, which does not help with an id that is taken. */
  readonly repeatable = $derived(this.failed.filter(({ isTaken }) => !isTaken));
  readonly numStored = $derived(this.items.filter(({ state }) => state === 'stored').length);
  readonly isSending = $derived(this.items.some((item) => item.isSending));

  constructor() {
    const { items, writes } = keptList();
    this.items = items.map((kept) => new ImportItem(kept, null));
    this.#begun = writes.filter(({ paths }) => this.#itemsOf(paths).length === paths.length);
    void this.#sendBegun();
  }

  add(files: readonly ChosenFile[]): void {
    const media = files.filter(({ path }) => resourceOfFile(path) !== null);
    this.passedOver = files.length - media.length;
    for (const { path, file } of media) {
      const known = this.items.find((item) => item.path === path);
      const item = new ImportItem({ path, size: file.size, srcPath: null }, file);
      if (known === undefined) this.items.push(item);
      else if (['lost', 'stored', 'failed'].includes(known.state))
        this.items.splice(this.items.indexOf(known), 1, item);
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
    for (const item of this.items) item.pause();
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

  /** Resumes failed files where they failed, except those whose ids are taken. */
  retry(): void {
    for (const item of this.repeatable) item.retry();
    this.#changed();
  }

  /** Resumes a file whose id is taken with another id. */
  rename(item: ImportItem, id: string): void {
    item.rename(id);
    this.#changed();
  }

  /** Stores the uploaded files, or reports what storing them would do. */
  async write(isDryRun: boolean, onDuplicate: OnDuplicate | null): Promise<void> {
    const writes = (['image', 'video'] as const).flatMap((resource): KeptWrite[] => {
      const items = this.ready.filter((item) => item.resource === resource).slice(0, maxElements);
      return items.length === 0 ? [] : [{ key: newKey(), resource, onDuplicate, paths: items.map(({ path }) => path) }];
    });
    if (isDryRun)
      return this.#trying(
        () => this.write(true, onDuplicate),
        () => this.#send(writes, true),
      );
    this.#begun = [...this.#begun, ...writes];
    return this.#sendBegun();
  }

  /** Repeats what failed. */
  async again(): Promise<void> {
    this.fault = null;
    await this.#again();
  }

  #sendBegun(): Promise<void> {
    const begun = this.#begun.filter(({ key }) => !this.writes.some((write) => write.key === key));
    for (const { paths } of begun) for (const item of this.#itemsOf(paths)) item.state = 'storing';
    this.#changed();
    return this.#trying(
      () => this.#sendBegun(),
      () => this.#send(begun, false),
    );
  }

  async #trying(again: () => Promise<void>, act: () => Promise<void>): Promise<void> {
    [this.isWriting, this.fault, this.#again] = [true, null, again];
    try {
      await act();
    } catch (error) {
      if (!isAbort(error)) this.fault = error;
    } finally {
      this.isWriting = false;
    }
  }

  async #send(writes: readonly KeptWrite[], isDryRun: boolean): Promise<void> {
    this.writes = this.writes.filter((each) => !each.isDryRun);
    for (const { key, resource, onDuplicate, paths } of writes) {
      const items = this.#itemsOf(paths);
      const elements = items.map(({ id, srcPath }) => ({ id, values: { srcPath } }));
      const { onWait, signal } = this.waiting;
      const options = { dryRun: isDryRun, onDuplicate, key, onWait, signal };
      const id = await writeBatch({ resource, elements, lang: preferences.language }, options).catch(
        (error: unknown) => {
          if (!isAway(error) && !isAbort(error)) this.#giveUp(key, items);
          throw error;
        },
      );
      this.writes = [...this.writes, { id, isDryRun, items, key }];
    }
  }

  /** The service has refused a write: its files return to their previous state. */
  #giveUp(key: string, items: readonly ImportItem[]): void {
    this.#begun = this.#begun.filter((each) => each.key !== key);
    for (const item of items) item.state = 'sent';
    this.#changed();
  }

  /** Applies the result of an operation that has stored everything to its files. */
  async ended(write: ImportWrite): Promise<void> {
    try {
      this.#note(write, await patiently(() => failuresOf(write.id), this.waiting));
    } catch (error) {
      if (isAbort(error)) return;
      [this.fault, this.#again] = [error, () => this.ended(write)];
    }
  }

  #note({ items, isDryRun, key }: ImportWrite, failures: ReadonlyMap<number, Failure>): void {
    items.forEach((item, position) => {
      const failure = failures.get(position);
      if (failure !== undefined)
        item.fail(elementProblem(failure.code) ?? failure.message, failure.code === 'already_exists');
      else if (!isDryRun) item.state = 'stored';
    });
    this.#begun = this.#begun.filter((each) => each.key !== key);
    this.#changed();
  }

  #itemsOf(paths: readonly string[]): readonly ImportItem[] {
    const byPath = new Map(this.items.map((item) => [item.path, item]));
    return paths.flatMap((path) => byPath.get(path) ?? []);
  }

  stop(): void {
    this.waiting.stop();
    for (const item of this.items) item.upload?.pause();
  }

  #changed(): void {
    const items = this.items.filter(({ state }) => state !== 'stored').map(({ kept }) => kept);
    keepList({ items, writes: this.#begun });
    if (this.isPaused) return;
    const sending = this.items.filter(({ state }) => state === 'sending').length;
    for (const item of this.items
      .filter(({ state }) => state === 'waiting')
      .slice(0, Math.max(0, parallel - sending))) {
      this.#upload(item);
    }
  }

  #upload(item: ImportItem): void {
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
        item.fail(reason);
        this.#changed();
      },
    });
  }
}
