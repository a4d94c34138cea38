/** Why an address cannot be the source of a record. */
export type AddressFault = 'not_absolute' | 'not_http';

/** What is wrong with the address of a source; null where it may be read. */
export function faultOfAddress(address: string): AddressFault | null {
  if (!URL.canParse(address)) return 'not_absolute';
  return /^https?:$/.test(new URL(address).protocol) ? null : 'not_http';
}
