import { thumbHashToDataURL } from 'thumbhash';
import type { Item } from '../results/items.ts';

/** The address of a record's preview, about as wide as it is shown; null if there is none. */
export function previewOf(item: Item, width: number): string | null {
  const chosen = width * devicePixelRatio > 400 ? item.wide : item.small;
  return chosen?.url ?? null;
}

/** A blurred picture of a few bytes, shown until the preview has arrived; null if there is none. */
export function placeholderOf(item: Item): string | null {
  if (!('placeholder' in item) || item.placeholder === null) return null;
  return thumbHashToDataURL(Uint8Array.from(atob(item.placeholder), (sign) => sign.charCodeAt(0)));
}
