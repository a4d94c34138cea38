/** Why a URL cannot be the source of a record. */
type AddressFault = 'not_absolute' | 'not_http';

/** No host has a longer name, however it is written. */
const longestHost = 2_000;

/** Returns what is wrong with the address of a source; null if it may be read. */
export function faultOfAddress(address: string): AddressFault | null {
  // Reading a host takes time that is quadratic in the accents on one letter.
  const [, host = ''] = /^[^:]*:[\s\\/]*([^\\/?#]*)/.exec(address) ?? [];
  if (host.length > longestHost || !URL.canParse(address)) return 'not_absolute';
  return /^https?:$/.test(new URL(address).protocol) ? null : 'not_http';
}
