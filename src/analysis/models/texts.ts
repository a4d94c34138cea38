import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import type { EntryOf } from './manifest.ts';

/** Opens a tokenizer.json of Hugging Face. */
export async function openTokenizer(file: string): Promise<Tokenizer> {
  return new Tokenizer(JSON.parse(await readFile(file, 'utf8')) as object, {});
}

type TokenRow = Readonly<{ ids: readonly number[]; mask: readonly number[] }>;

/** Tokenizes a text. If it is too long, it is cut, but its last token, which marks the end, stays. */
export function tokensOf(tokenizer: Tokenizer, text: string, { tokens, pad }: EntryOf<'embedding'>['texts']): TokenRow {
  const all = tokenizer.encode(text).ids;
  const ids = all.length <= tokens ? all : [...all.slice(0, tokens - 1), ...all.slice(-1)];
  const missing = pad === undefined ? 0 : tokens - ids.length;
  const mask = [...ids.map(() => 1), ...Array<number>(missing).fill(0)];
  return { ids: [...ids, ...Array<number>(missing).fill(pad ?? 0)], mask };
}
