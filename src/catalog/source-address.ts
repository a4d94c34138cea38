/** Why a URL cannot be the source of a record. */
export type AddressFault = 'not_absolute' | 'not_http';

/** Returns what is wrong with the address of a source; null if it may be read. */
export function faultOfAddress(address: string): AddressFault | null {
  if (!URL.canParse(address)) return 'not_absolute';
  return /^https?:$/.test(new URL(address).protocol) ? null : 'not_http';
}
