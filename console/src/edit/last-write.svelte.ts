/** The last write of this tab that can be undone. */
type LastWrite = Readonly<{
  operation: number;
  text: string;
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
