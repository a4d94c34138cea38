import { parsePartialDate } from '../../../src/catalog/partial-date.ts';
import { faultOfAddress } from '../../../src/catalog/source-address.ts';
import { number, t } from '../i18n/index.svelte.ts';
import type { CatalogField } from '../state/fields.svelte.ts';

/** A value while it is edited: the values of a list, or text; empty text means no value. */
export type Draft = string | readonly string[];

/** The draft for the value of a record. */
export function toDraft({ kind }: CatalogField, value: unknown): Draft {
  if (kind === 'list') return (value ?? []) as readonly string[];
  return value === null || value === undefined ? '' : String(value);
}

/** The value that is written for a draft. */
export function toValue({ kind }: CatalogField, draft: Draft): string | boolean | readonly string[] | null {
  if (typeof draft !== 'string') return draft;
  if (draft.trim() === '') return null;
  return kind === 'boolean' ? draft === 'true' : draft.trim();
}

/** Whether two drafts write the same value. */
export function isSame(field: CatalogField, a: Draft, b: Draft): boolean {
  return JSON.stringify(toValue(field, a)) === JSON.stringify(toValue(field, b));
}

/** Why the service would refuse a draft, by the limits that it publishes; null if no reason is known. */
export function faultOf({ kind, isUrl, maxLength, maxElements }: CatalogField, draft: Draft): string | null {
  if (typeof draft !== 'string' && maxElements !== null && draft.length > maxElements) {
    return t().edit.tooMany(number(maxElements));
  }
  const longest = Math.max(0, ...[draft].flat().map((text) => [...text].length));
  if (maxLength !== null && longest > maxLength) return t().edit.tooLong(number(maxLength), number(longest));
  if (kind === 'date' && draft !== '' && parsePartialDate(String(draft).trim()) === null) return t().edit.noDate;
  const addressFault = isUrl && draft !== '' ? faultOfAddress(String(draft).trim()) : null;
  return addressFault === null ? null : t().edit.noAddress[addressFault];
}
