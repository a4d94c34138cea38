import { randomUUID } from 'node:crypto';

/** Writes JSON; a bigint as the integer that it is, which JSON.stringify refuses. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const mark = randomUUID();
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${mark}${part}` : part));
    return text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
  }
}
