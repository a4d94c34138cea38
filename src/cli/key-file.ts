import { readFile } from 'node:fs/promises';
import { SetupError } from '../lib/errors.ts';
import { refusalInWords } from '../lib/system-refusals.ts';

/**
 * Reads the key in a file, without the blanks and line breaks around it.
 *
 * @param remedy a sentence on what to do without such a file
 * @throws SetupError if it cannot be read, or cannot be a key; the message does not contain it.
 */
export async function readKeyFile(path: string, remedy = ''): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const reason = refusalInWords(error) ?? String(error);
    throw new SetupError(`The key in ${path} cannot be read: ${reason}. ${remedy}`.trimEnd());
  });
  const key = text.trim();
  if (/^[\x20-\x7e]+$/.test(key)) return key;
  throw new SetupError(
    `${path} contains no key: ${key === '' ? 'it is empty' : 'a key is one line of ASCII characters'}.`,
  );
}
