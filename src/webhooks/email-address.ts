/** One plain address: no list, no name, no parameters, nothing that could start another header. */
const plainAddress = /^mailto:([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)$/;

/** The address that a `mailto:` URL names; null unless it is exactly one. */
export function checkEmail(url: string): string | null {
  return plainAddress.exec(url)?.[1] ?? null;
}
