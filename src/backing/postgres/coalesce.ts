/** Runs `work` for a key. Callers that arrive during a run share the next one. */
type Coalesce = (key: string, work: () => Promise<unknown>) => Promise<void>;

type Slot = { running: Promise<void>; next: Promise<void> | null };

/**
 * Merges equal work: while a run is in progress, all new callers share the next one, which starts after they arrived.
 * So a caller's run sees everything that the caller did before.
 */
export function createCoalescer(): Coalesce {
  const slots = new Map<string, Slot>();

  function begin(key: string, work: () => Promise<unknown>): Promise<void> {
    const running = work().then(() => {});
    const slot: Slot = { running, next: null };
    slots.set(key, slot);
    const clear = () => {
      if (slot.next === null && slots.get(key) === slot) slots.delete(key);
    };
    running.then(clear, clear);
    return running;
  }

  return (key, work) => {
    const slot = slots.get(key);
    if (slot === undefined) return begin(key, work);
    slot.next ??= slot.running.catch(() => {}).then(() => begin(key, work));
    return slot.next;
  };
}
