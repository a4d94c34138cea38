import type { WrittenFragment } from '../api/documents.ts';

/** The failures of a write. */
type Failures = Pick<WrittenFragment, 'errors' | 'numBad' | 'method'> & Readonly<{ kind: 'image' | 'video' }>;

/** The last write of this tab, which can be undone; or its undo, if that left something unchanged. */
type LastWrite = Readonly<{
  operation: number;
  text: string;
  /** The record that was written, if it was a single one. */
  record?: string;
  /** Whether it undid another write and so cannot be undone itself. */
  isUndo?: boolean;
  /** What failed, if anything. */
  failures?: Failures;
  /** Reloads whatever is shown besides results, when the write is undone. */
  reload?: () => void;
}>;

/** The failures of a write, in the form that is kept with it. */
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
