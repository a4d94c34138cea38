/**
 * An iterator whose values are changed one by one. Not a generator: its `return` must reach a source that waits for its
 * next value, and one that has not begun.
 */
export function mapIterator<T>(source: AsyncIterator<T>, change: (value: T) => T): AsyncIterableIterator<T> {
  const changed = async (coming: Promise<IteratorResult<T>>): Promise<IteratorResult<T>> => {
    const result = await coming;
    return result.done === true ? result : { done: false, value: change(result.value) };
  };
  return {
    next: () => changed(source.next()),
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
    throw: async (error) => {
      if (source.throw === undefined) throw error;
      return source.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
