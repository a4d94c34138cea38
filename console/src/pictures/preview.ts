import type { Item } from '../results/items.ts';

/** An address of a picture of a record, about as wide as it is shown; null where there is none. */
export function previewOf(item: Item, width: number): string | null {
  const chosen = width * devicePixelRatio > 400 ? item.wide : item.small;
  return chosen?.url ?? null;
}
