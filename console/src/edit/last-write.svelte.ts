import type { WrittenFragment } from '../api/documents.ts';

/** What a write could not do. */
type Failures = Pick<WrittenFragment, 'errors' | 'numBad' | 'method'> & Readonly<{ kind: 'image' | 'video' }>;

/** The last write of this tab, which can be undone, or what its undo left as it was. */
type LastWrite = Readonly<{
  operation: number;
  text: string;
  /** The record that was written, if it was one alone. */
  record?: string;
  /** Whether it undid another write, and is not undone itself. */
  isUndo?: boolean;
  /** What it could not do, if anything failed. */
  failures?: Failures;
  /** Reads again what is shown besides results, when the write is undone. */
  reload?: () => void;
}>;

/** What a write could not do, as it is kept with it. */
export function failuresOf(written: WrittenFragment, kind: Failures['kind']): Readonly<{ failures?: Failures }> {
  return written.numBad === 0 ? {} : { failures: { ...written, kind } };
}

let last = $state.raw<LastWrite | null>(null);

export const lastWrite = {
  get now(): LastWrite | null {
    return last;
  },
  keep(write: LastWrite): void {
    last = write;
  },
  forget(): void {
    last = null;
  },
};
