import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { parseEnv } from 'node:util';
import { SetupError } from '../lib/errors.ts';
import { refusalInWords } from '../lib/system-refusals.ts';
import { proxyVariables } from './proxy-config.ts';

/** Variables by name, as the system or a file gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of the process; what it leaves unset comes from `.env` in the current folder. A variable is set if
 * it is given under any of its names.
 *
 * @param secrets names of variables whose value may instead be in a file.
 */
export function processEnvironment(secrets: readonly string[]): Environment {
  const given = withoutEmpty(process.env);
  const isSet = (name: string) => namesOf(name, secrets).some((each) => given[each] !== undefined);
  const file = Object.entries(parseEnv(readEnvFile(resolve('.env'))));
  return { ...Object.fromEntries(file.filter(([name]) => !isSet(name))), ...given };
}

/**
 * The content of the file; empty if there is none. @throws SetupError if it cannot be read, for example because it is
 * a folder.
 */
function readEnvFile(path: string): string {
  if (!existsSync(path)) return '';
  try {
    // Some editors begin a file with a byte order mark, which would become part of the first name.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new SetupError(`${path} cannot be read: ${refusalInWords(error) ?? String(error)}.`);
  }
}

/** The names under which a value may be given: its own, the one with `_FILE`, and for proxies the lowercase one. */
function namesOf(name: string, secrets: readonly string[]): readonly string[] {
  if (name.toUpperCase() in proxyVariables) return [name.toUpperCase(), name.toLowerCase()];
  const plain = name.replace(/_FILE$/, '');
  return secrets.includes(plain) ? [plain, `${plain}_FILE`] : [name];
}

/** Variables that have a value: an empty one counts as unset. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
}
