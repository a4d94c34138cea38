/** The last write of this tab, which can be undone, or what its undo left as it was. */
type LastWrite = Readonly<{
  operation: number;
  text: string;
  /** The record that was written, if it was one alone. */
  record?: string;
  /** Whether it undid another write, and is not undone itself. */
  isUndo?: boolean;
  /** Reads again what is shown besides results, when the write is undone. */
  reload?: () => void;
}>;

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
