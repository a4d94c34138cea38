import type { WrittenFragment } from '../api/documents.ts';
import { ApiError, isAbort } from '../api/graphql.ts';
import { Waiting } from '../api/waiting.svelte.ts';
import { newKey } from '../api/write-once.ts';
import { t } from '../i18n/index.svelte.ts';
import { problemText } from '../i18n/problem-of.ts';
import type { WriteOptions, WriteResult } from './write.ts';

/** A write that is previewed before it is done, and then done only once, no matter how often it has to be sent. */
export class TriedWrite {
  /** What the write would do; null until this is known. */
  tried = $state.raw<WrittenFragment | null>(null);
  isBusy = $state(false);
  fault = $state('');
  /** Whether it was refused because another write came first. */
  isOvertaken = $state(false);
  readonly waiting = new Waiting();
  readonly #send: (options: WriteOptions) => Promise<WriteResult>;
  /** Identifies the write that was previewed last. */
  #key = newKey();

  constructor(send: (options: WriteOptions) => Promise<WriteResult>) {
    this.#send = send;
  }

  /** Previews the write. @returns the operation to follow, if it takes longer than the service waits */
  async try(): Promise<WriteResult | null> {
    this.#key = newKey();
    const result = await this.#run({ dryRun: true });
    if (result === null || !('id' in result)) return result;
    this.tried = result;
    return null;
  }

  /** Does the write. @returns what was done; null if it was not done */
  do(): Promise<WriteResult | null> {
    return this.#run({ dryRun: false, key: this.#key });
  }

  async #run(how: Pick<WriteOptions, 'dryRun' | 'key'>): Promise<WriteResult | null> {
    const { onWait, signal } = this.waiting;
    [this.isBusy, this.fault, this.isOvertaken] = [true, '', false];
    try {
      return await this.#send({ ...how, onWait, signal });
    } catch (error) {
      this.isOvertaken = error instanceof ApiError && error.code === 'precondition_failed';
      if (this.isOvertaken) return null;
      if (!isAbort(error)) this.fault = error instanceof ApiError ? problemText(error) : t().failedTitle;
      return null;
    } finally {
      this.isBusy = false;
    }
  }
}
