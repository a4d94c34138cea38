/**
 * Closes parts one after the other; if one fails, the rest are still closed.
 *
 * @throws the error of the first part that could not be closed.
 */
export async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}
