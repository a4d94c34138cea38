import type { WaitReason } from '../api/patiently.ts';
import { t } from '../i18n/index.svelte.ts';
import type { OneRecord, Proposal } from '../picture/record.ts';
import { results } from '../state/results.svelte.ts';
import { lastWrite } from './last-write.svelte.ts';
import { writeRecord } from './write-record.ts';

type Values = Readonly<Record<string, unknown>>;

/** What is written when values of a proposal are accepted: they then count as a person's values. */
export function accepting({ field, isFilled }: Proposal, isList: boolean, values: readonly string[]): Values {
  if (!isList) return { [field]: values[0] };
  return isFilled ? { [field]: values } : { changeKeywords: { add: values } };
}

/** What is written when values of a proposal are refused: keywords individually, a text by locking its field. */
export function refusing({ field, isFilled }: Proposal, isList: boolean, values: readonly string[]): Values {
  if (!isList) return { [field]: null, ...locking(field, true) };
  const removed = isFilled && { changeKeywords: { remove: values } };
  return { ...removed, changeRefusedKeywords: { add: values } };
}

/** What is written to lock or unlock a field. */
export function locking(field: string, isLocked: boolean): Values {
  return { changeLockedFields: { [isLocked ? 'add' : 'remove']: [field] } };
}

/** Writes judgments on a record, one after the other. */
export class Judge {
  /** The version on which a write is in progress; the record has another version once it has been read again. */
  #writing = $state<string | null>(null);
  fault = $state('');

  isBusy({ version }: OneRecord): boolean {
    return this.#writing === version;
  }

  /** Writes values to the version of a record that is shown; `said` is the message on success. */
  async write(kind: 'image' | 'video', { id, version }: OneRecord, values: Values, said: string): Promise<void> {
    [this.#writing, this.fault] = [version, ''];
    try {
      const onWait = (reason: WaitReason | null) => (this.fault = reason === 'away' ? t().edit.away : '');
      const outcome = await writeRecord({ kind, id, version, values }, { onWait });
      this.fault =
        outcome.kind === 'refused' ? outcome.message : outcome.kind === 'overtaken' ? t().edit.overtaken : '';
      if (outcome.kind === 'written') lastWrite.keep({ operation: outcome.operation, text: said, record: id });
      if (outcome.kind !== 'written' || !outcome.isFinished) this.#writing = null;
      results.refresh(id);
    } catch {
      [this.#writing, this.fault] = [null, t().failedTitle];
    }
  }
}
