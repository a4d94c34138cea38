/** One plain address: no list, no name, no parameters, nothing that could start another header. */
const plainAddress = /^mailto:([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)$/;

/** The address in a `mailto:` URL; null unless there is exactly one. */
export function checkEmail(url: string): string | null {
  return plainAddress.exec(url)?.[1] ?? null;
}
