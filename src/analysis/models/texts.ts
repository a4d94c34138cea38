import { readFile } from 'node:fs/promises';
import { loadPackage } from './find-package.ts';
import type { EntryOf } from './manifest.ts';

/** The part of @huggingface/tokenizers that we use. */
export type Tokenizer = Readonly<{
  encode: (text: string) => Readonly<{ ids: readonly number[] }>;
  decode: (ids: readonly number[], options: object) => string;
}>;
type Tokenizers = Readonly<{ Tokenizer: new (tokenizer: object, config: object) => Tokenizer }>;

/** Opens a tokenizer.json of Hugging Face. @param packagePath the program of @huggingface/tokenizers. */
export async function openTokenizer(file: string, packagePath: string): Promise<Tokenizer> {
  const { Tokenizer: Opened } = loadPackage(packagePath) as Tokenizers;
  return new Opened(JSON.parse(await readFile(file, 'utf8')) as object, {});
}

export type TokenRow = Readonly<{ ids: readonly number[]; mask: readonly number[] }>;

/** The tokens of a text: the last one, which ends it, stays where it is too long. */
export function tokensOf(tokenizer: Tokenizer, text: string, { tokens, pad }: EntryOf<'embedding'>['texts']): TokenRow {
  const all = tokenizer.encode(text).ids;
  const ids = all.length <= tokens ? all : [...all.slice(0, tokens - 1), ...all.slice(-1)];
  const missing = pad === undefined ? 0 : tokens - ids.length;
  const mask = [...ids.map(() => 1), ...Array<number>(missing).fill(0)];
  return { ids: [...ids, ...Array<number>(missing).fill(pad ?? 0)], mask };
}
