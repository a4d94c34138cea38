/** Concurrent batches per group: a second one keeps the database busy while the result of the first is being read. */
const parallel = 2;
/** Maximum keys per batch. */
const maxBatch = 200;

/** Loads or stores the values of several keys at once; a key without a value is left out. */
type Load<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/**
 * Combines reads and writes by key: those that arrive while others of the same group are running share the next
 * batch. On an idle server this adds no delay; on a busy one it sends a fraction of the queries. A key is a string,
 * or an object compared by identity.
 */
export type BatchLoader = <Key, Value>(group: string, key: Key, load: Load<Key, Value>) => Promise<Value | undefined>;

type Waiting = Readonly<{ key: unknown; resolve(value: unknown): void; reject(error: unknown): void }>;
type Group = { running: number; isCalled: boolean; waiting: Waiting[]; readonly load: Load<unknown, unknown> };

/** Every call of a group must pass the same `load`: that of the first caller serves all who wait. */
export function createBatchLoader(): BatchLoader {
  const groups = new Map<string, Group>();

  function begin(name: string, group: Group): void {
    const batch = group.waiting.splice(0, maxBatch);
    const settle = (act: (each: Waiting) => void) => {
      for (const each of batch) act(each);
      group.running -= 1;
      if (group.waiting.length > 0) begin(name, group);
      else if (group.running === 0) groups.delete(name);
    };
    group.running += 1;
    group.load(batch.map(({ key }) => key)).then(
      (found) => settle(({ key, resolve }) => resolve(found.get(key))),
      (error: unknown) => settle(({ reject }) => reject(error)),
    );
  }

  /**
   * Starts a batch once everything requested synchronously has been collected, so that the rows of a page are loaded
   * together.
   */
  function call(name: string, group: Group): void {
    group.isCalled = true;
    queueMicrotask(() => {
      group.isCalled = false;
      begin(name, group);
    });
  }

  return <Key, Value>(name: string, key: Key, load: Load<Key, Value>) =>
    new Promise<Value | undefined>((resolve, reject) => {
      let group = groups.get(name);
      if (group === undefined)
        groups.set(name, (group = { running: 0, isCalled: false, waiting: [], load: load as Group['load'] }));
      group.waiting.push({ key, resolve: resolve as Waiting['resolve'], reject });
      if (group.running < parallel && !group.isCalled) call(name, group);
    });
}
