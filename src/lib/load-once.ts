/** Loads at the first call and keeps the result; a failure is not kept, so that the next call tries again. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  const loadOnly = loadOnceEach((_name: '') => load());
  return () => loadOnly('');
}

/** The same for each name separately; the other arguments are used by the first call for a name only. */
export function loadOnceEach<Name extends string, Others extends readonly unknown[], T>(
  load: (name: Name, ...others: Others) => Promise<T>,
): (name: Name, ...others: Others) => Promise<T> {
  const loaded = new Map<Name, Promise<T>>();
  return (name, ...others) => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const loading = load(name, ...others).catch((error: unknown) => {
      loaded.delete(name);
      throw error;
    });
    loaded.set(name, loading);
    return loading;
  };
}
