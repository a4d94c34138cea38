/**
 * Maps the values of an iterator one by one. Not a generator, because `return` must reach a source that is waiting for its
 * next value, or has not started.
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
