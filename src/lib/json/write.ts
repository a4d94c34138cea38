import { randomUUID } from 'node:crypto';

/** Writes JSON; a bigint, which JSON.stringify refuses, is written as an integer. */
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
