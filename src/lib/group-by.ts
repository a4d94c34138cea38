/** Groups items by key, each group in the order of the items, as `Map.groupBy` of Node 21 does. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    index += 1;
  }
  return groups;
}
