import { SvelteMap } from 'svelte/reactivity';
import type { Language } from '../api/documents.ts';
import { isAbort } from '../api/graphql.ts';
import type { WaitReason } from '../api/patiently.ts';
import { t } from '../i18n/index.svelte.ts';
import { readRecord, valueOf } from '../picture/record.ts';
import type { OneRecord } from '../picture/record.ts';
import { titleOf } from '../state/fields.svelte.ts';
import type { CatalogField } from '../state/fields.svelte.ts';
import { preferences } from '../state/preferences.svelte.ts';
import { results } from '../state/results.svelte.ts';
import { faultOf, isSame, toDraft, toValue } from './draft.ts';
import type { Draft } from './draft.ts';
import { lastWrite } from './last-write.svelte.ts';
import { writeRecord } from './write-record.ts';

type Kind = 'image' | 'video';

/** Fields that are being edited, even while other records are shown. */
const edits = new SvelteMap<string, FieldEdit>();

// A reload would lose what was typed.
addEventListener('beforeunload', (event) => {
  if ([...edits.values()].some((edit) => edit.isChanged)) event.preventDefault();
});

const keyOf = (kind: Kind, id: string, field: string) => `${kind} ${field} ${id}`;

/** The edit of a field of a record; null if the field is only shown. */
export function editOf(kind: Kind, id: string, field: string): FieldEdit | null {
  return edits.get(keyOf(kind, id, field)) ?? null;
}

/** Starts to edit a field, with its value or another draft. */
export function openEdit(kind: Kind, record: OneRecord, field: CatalogField, draft?: Draft): void {
  const key = keyOf(kind, record.id, field.name);
  if (edits.has(key)) return;
  const edit = new FieldEdit(kind, record, field);
  if (draft !== undefined) edit.draft = draft;
  edits.set(key, edit);
}

/** A field of a record while it is edited. */
export class FieldEdit {
  readonly kind: Kind;
  readonly field: CatalogField;
  #draft = $state.raw<Draft>('');
  state = $state<'open' | 'saving' | 'away'>('open');
  /** Why it was not saved. */
  refused = $state('');
  /** The record, if somebody else has changed the field. */
  theirs = $state.raw<OneRecord | null>(null);
  #record: OneRecord;
  /** Whether the draft is in the record, which is then read again. */
  #isSaved = false;
  readonly #stop = new AbortController();

  constructor(kind: Kind, record: OneRecord, field: CatalogField) {
    [this.kind, this.field, this.#record] = [kind, field, record];
    this.#draft = this.#draftOf(record);
  }

  /** The value that is written on saving. */
  get draft(): Draft {
    return this.#draft;
  }
  set draft(draft: Draft) {
    [this.#draft, this.refused] = [draft, ''];
  }

  /** The language of the text. */
  get lang(): string {
    return this.#record.lang;
  }

  /** Whether the draft is not the value of the record. */
  get isChanged(): boolean {
    return !isSame(this.field, this.draft, this.#draftOf(this.#record));
  }

  /**
   * Whether the draft cannot be a value of the field. A refusal by the service may be temporary, so it does not
   * count.
   */
  get isWrong(): boolean {
    return faultOf(this.field, this.draft) !== null;
  }

  /** Why the draft cannot be saved, if known. */
  get fault(): string {
    return faultOf(this.field, this.draft) ?? this.refused;
  }

  /** Discards what was typed. */
  close(): void {
    this.#stop.abort();
    edits.delete(keyOf(this.kind, this.#record.id, this.field.name));
  }

  /** Saves the draft, unless somebody has changed the field in the meantime. */
  async save(): Promise<void> {
    if (this.state !== 'open' || this.isWrong) return;
    if (!this.isChanged) return this.close();
    [this.state, this.refused, this.theirs] = ['saving', '', null];
    try {
      await this.#write();
    } catch (error) {
      if (!isAbort(error)) this.refused = t().failedTitle;
    }
    if (!this.#isSaved) this.state = 'open';
  }

  /** Closes the edit once the page shows the record as saved. */
  meet({ version }: OneRecord): void {
    if (this.#isSaved && version !== this.#record.version) this.close();
  }

  /** Saves the draft over the value that somebody else has written. */
  overwrite(): Promise<void> {
    if (this.theirs !== null) this.#record = this.theirs;
    return this.save();
  }

  /** Keeps the value that somebody else has written. */
  yield(): void {
    this.close();
    results.refresh(this.#record.id);
  }

  async #write(): Promise<void> {
    const { id, version } = this.#record;
    const value = toValue(this.field, this.draft);
    const what =
      this.field.name === 'lang'
        ? { values: {}, lang: value as Language }
        : { values: { [this.field.property ?? '']: value } };
    const waiter = {
      onWait: (reason: WaitReason | null) => (this.state = reason === 'away' ? 'away' : 'saving'),
      signal: this.#stop.signal,
    };
    const outcome = await writeRecord({ kind: this.kind, id, version, ...what }, waiter);
    if (outcome.kind === 'overtaken') return this.#meetTheirs();
    if (outcome.kind === 'refused') {
      this.refused = outcome.message;
      return;
    }
    const say = outcome.isFinished ? t().edit.fieldChanged : t().edit.fieldAccepted;
    lastWrite.keep({ operation: outcome.operation, text: say(titleOf(this.field)), record: id });
    this.#isSaved = outcome.isFinished;
    if (this.#isSaved) results.refresh(id);
    else this.close();
  }

  /** Another write came first. If it changed only other fields, this write is sent again, which overwrites nothing. */
  async #meetTheirs(): Promise<void> {
    const theirs = await readRecord(this.kind, this.#record.id, preferences.language);
    if (theirs === null) {
      this.refused = t().notFound;
      return;
    }
    if (!isSame(this.field, this.#draftOf(theirs), this.#draftOf(this.#record))) {
      this.theirs = theirs;
      return;
    }
    this.#record = theirs;
    await this.#write();
  }

  #draftOf(record: OneRecord): Draft {
    return toDraft(this.field, valueOf(record, this.field.property ?? ''));
  }

  /** The value that somebody else has written, as text. */
  get theirText(): string {
    const draft = this.theirs === null ? '' : this.#draftOf(this.theirs);
    return [draft].flat().join(', ') || t().edit.noValue;
  }
}
