/** Why a URL cannot be the source of a record. */
type AddressFault = 'not_absolute' | 'not_http';

/** No host name is longer, no matter how it is written. */
const longestHost = 2_000;

/** Returns what is wrong with the address of a source; null if it may be read. */
export function faultOfAddress(address: string): AddressFault | null {
  // Parsing a host takes time quadratic in the number of combining marks on a letter.
  const [, host = ''] = /^[^:]*:[\s\\/]*([^\\/?#]*)/.exec(address) ?? [];
  if (host.length > longestHost || !URL.canParse(address)) return 'not_absolute';
  return /^https?:$/.test(new URL(address).protocol) ? null : 'not_http';
}
