import type { Language } from '../../../src/analysis/facts.ts';
import { idOfFile } from '../../../src/catalog/media-files.ts';
import { intoBatches } from '../../../src/tables/batches.ts';
import type { ImportBatch } from '../../../src/tables/batches.ts';
import { openerOf } from '../../../src/tables/open-table.ts';
import { languageOf, surveyImport } from '../../../src/tables/survey.ts';
import type { Survey } from '../../../src/tables/survey.ts';
import type { TableColumn, ImportEntry, ImportSource } from '../../../src/tables/table.ts';
import type { OnDuplicate } from '../api/documents.ts';
import { newKey } from '../api/write-once.ts';
import type { ImportItem } from './import-item.svelte.ts';
import type { ImportList } from './import-list.svelte.ts';
import { keepTable } from './kept-table.ts';
import type { KeptRun, KeptTable } from './kept-table.ts';
import { bytesOf, guessed } from './table-columns.ts';
import { TableRun } from './table-run.svelte.ts';

/** Number of rows that are shown and checked as soon as the columns are known. */
export const firstRows = 10;

type Entries = AsyncIterable<ImportEntry>;

/** A table on its way into the catalog: its columns and their fields, the survey of its rows, and their write. */
export class TableImport {
  readonly path: string;
  readonly #file: File;
  readonly #list: ImportList;
  #source = $state.raw<ImportSource | null>(null);
  columns = $state.raw<readonly TableColumn[]>([]);
  /** The chosen language; null to use that of the texts. */
  chosenLang = $state<Language | 'each' | null>(null);
  /** Null until the rows have been read with the current columns. */
  survey = $state.raw<Survey | null>(null);
  first = $state.raw<readonly ImportEntry[]>([]);
  run = $state.raw<TableRun | null>(null);
  fault = $state.raw<unknown>(null);
  /** The files that rows name. */
  #sources = $state.raw<ReadonlySet<string>>(new Set());
  /** Rows of the last write that are not stored; null before the first one. */
  #failed = $state.raw<ReadonlySet<string> | null>(null);
  #begun: KeptRun | null = null;
  #turn = 0;

  readonly notes = $derived(this.#source?.notes ?? []);
  readonly lang = $derived(this.chosenLang ?? this.survey?.language.result() ?? null);
  readonly #byName = $derived.by(() => byNames(this.#list.items));
  /** Files of this page that rows name. */
  readonly claimed: ReadonlySet<ImportItem> = $derived(
    new Set([...this.#sources].flatMap((source) => this.#itemOf(source) ?? [])),
  );
  readonly isUploading = $derived([...this.claimed].some(({ isSending }) => isSending));
  readonly hasId = $derived(this.columns.some(({ field }) => field === 'id' || field === 'src_path'));
  readonly isWriting = $derived(
    this.run !== null && !this.run.isDryRun && !this.run.isEnded && this.run.fault === null,
  );
  readonly numStored = $derived(this.run?.isDryRun === false ? this.run.good : 0);
  /** Whether some rows were stored, and others were not. */
  readonly hasFailed = $derived(this.#failed !== null);
  /** Number of rows that are still to be stored. */
  readonly left = $derived(this.#failed?.size ?? this.survey?.total ?? 0);

  constructor(path: string, file: File, list: ImportList) {
    [this.path, this.#file, this.#list] = [path, file, list];
  }

  /** Reads the table, and continues with earlier choices and an unfinished write. */
  async open(kept: KeptTable | null = null): Promise<void> {
    try {
      const source = await openerOf(this.path)?.(this.path, bytesOf(this.#file));
      if (source === undefined) return;
      this.columns = kept?.columns ?? guessed(await source.columns());
      this.chosenLang = kept?.lang ?? null;
      this.#failed = kept?.failed ? new Set(kept.failed) : null;
      this.#begun = kept?.run ?? null;
      this.#source = source;
      await this.#read();
      if (this.#begun !== null) await this.#write(this.#begun);
    } catch (error) {
      this.fault = error;
    }
  }

  change(index: number, change: Partial<TableColumn>): void {
    this.columns = this.columns.map((column, at) => (at === index ? { ...column, ...change } : column));
    this.survey = null;
    void this.#read();
  }

  /** Sets the language of the texts: a code, or `each`. */
  choose(lang: string): void {
    this.chosenLang = lang as Language | 'each';
    void this.#keep();
  }

  /** Checks the first rows, or all of them, without storing anything. */
  async check(most = Infinity): Promise<void> {
    if (this.isWriting) return;
    const run = new TableRun({ id: '', onDuplicate: null }, { isDryRun: true, total: Math.min(most, this.left) });
    await this.#begin(run, this.#failed, most);
  }

  /** Stores the rows; after an incomplete write, only those that failed. */
  async store(onDuplicate: OnDuplicate | null): Promise<void> {
    await this.#write({ id: newKey(), places: this.#failed && [...this.#failed], onDuplicate });
  }

  /** Resumes what has stopped; nothing is stored twice. */
  async goOn(): Promise<void> {
    if (this.#begun === null) await this.check();
    else await this.#write(this.#begun);
  }

  stop(): void {
    this.#turn += 1;
    this.run?.stop();
  }

  /** Forgets the table. */
  async close(): Promise<void> {
    this.stop();
    await keepTable(null);
  }

  async #write(run: KeptRun): Promise<void> {
    this.#begun = run;
    await this.#keep();
    const places = run.places && new Set(run.places);
    const written = new TableRun(run, { isDryRun: false, total: places?.size ?? this.survey?.total ?? 0 });
    await this.#begin(written, places, Infinity);
    if (!written.isEnded) return;
    this.#begun = null;
    this.#failed = new Set(written.faults.keys());
    await (this.#failed.size === 0 ? keepTable(null) : this.#keep());
  }

  async #begin(run: TableRun, places: ReadonlySet<string> | null, most: number): Promise<void> {
    this.run?.stop();
    this.run = run;
    const files = new Map<string, ImportItem>();
    const entries = this.#withFiles(among(this.#entries(), places, most), files);
    await run.write(this.#batches(entries, run), (stored) => {
      if (!run.isDryRun) this.#list.stored(stored.flatMap((place) => files.get(place) ?? []));
    });
  }

  #batches(entries: Entries, run: TableRun): AsyncIterable<ImportBatch> {
    const { lang, survey } = this;
    const langOf = survey === null || lang === 'unclear' ? () => null : languageOf(lang, survey);
    return intoBatches(entries, { langOf, onFault: (fault) => run.fail([fault]) });
  }

  async *#entries(): Entries {
    if (this.#source !== null) yield* this.#source.read(this.columns);
  }

  /** Adds to rows the uploads that they name; rows without an id get the one that their file would have by itself. */
  async *#withFiles(entries: Entries, files: Map<string, ImportItem>): Entries {
    for await (const entry of entries) {
      const path = 'record' in entry ? entry.record['src_path'] : null;
      if (!('record' in entry) || typeof path !== 'string') {
        yield entry;
        continue;
      }
      const item = this.#itemOf(path);
      if (item) files.set(entry.place, item);
      const src_path = item?.srcPath ?? path;
      yield { place: entry.place, record: { id: idOfFile(path), ...entry.record, src_path } };
    }
  }

  /** The file that a row names: by its path next to the table, or by its name if that is unique. */
  #itemOf(path: string): ImportItem | null {
    const folder = this.path.replace(/[^/\\]*$/, '');
    const names = [`${folder}${path}`, path, path.replace(/^.*[/\\]/, '')];
    return names.map((name) => this.#byName.get(name)).find((item) => item != null) ?? null;
  }

  /** Reads all rows once with the current columns. */
  async #read(): Promise<void> {
    const turn = (this.#turn += 1);
    const first: ImportEntry[] = [];
    const sources = new Set<string>();
    const survey = await surveyImport(
      noting(this.#entries(), (entry) => {
        if (first.length < firstRows && this.#failed?.has(entry.place) !== false) first.push(entry);
        const path = 'record' in entry ? entry.record['src_path'] : null;
        if (typeof path === 'string') sources.add(path);
        return turn === this.#turn;
      }),
    );
    if (turn !== this.#turn) return;
    [this.first, this.#sources, this.survey] = [first, sources, survey];
    await this.#keep();
  }

  async #keep(): Promise<void> {
    const { path, columns, chosenLang: lang } = this;
    const failed = this.#failed && [...this.#failed];
    await keepTable({ path, file: this.#file, columns: [...columns], lang, failed, run: this.#begun });
  }
}

/** Files by path, and by name if only one has it. */
function byNames(items: readonly ImportItem[]): ReadonlyMap<string, ImportItem | null> {
  const found = new Map<string, ImportItem | null>();
  for (const item of items) {
    const name = item.path.replace(/^.*[/\\]/, '');
    found.set(name, found.has(name) ? null : item);
  }
  for (const item of items) found.set(item.path, item);
  return found;
}

/** Entries at the given places, at most `most`. */
async function* among(entries: Entries, places: ReadonlySet<string> | null, most: number): Entries {
  let left = most;
  for await (const entry of entries) {
    if (places !== null && !places.has(entry.place)) continue;
    if (left <= 0) return;
    left -= 1;
    yield entry;
  }
}

/** Passes entries on until `note` returns false. */
async function* noting(entries: Entries, note: (entry: ImportEntry) => boolean): Entries {
  for await (const entry of entries) {
    if (!note(entry)) return;
    yield entry;
  }
}
