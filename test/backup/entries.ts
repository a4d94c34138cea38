import { Readable } from 'node:stream';
import { extract, pack } from 'tar-stream';
import type { Header } from 'tar-stream';
import { contentsLine, digestOf, signDigest } from '../../src/backup/contents.ts';

/** One entry of a tar; its head may say anything. */
export type RawEntry = Readonly<{ name: string; content: Buffer; head?: Partial<Header> }>;

/** An entry of text. */
export function textEntry(name: string, text: string): RawEntry {
  return { name, content: Buffer.from(text) };
}

/** Every entry of an archive. */
export async function entriesOf(archive: Buffer): Promise<RawEntry[]> {
  const entries: RawEntry[] = [];
  for await (const part of Readable.from([archive]).pipe(extract())) {
    const pieces: Buffer[] = [];
    for await (const piece of part) pieces.push(piece as Buffer);
    entries.push({ name: part.header.name, content: Buffer.concat(pieces) });
  }
  return entries;
}

/** A tar of these entries and of nothing else. */
export async function tarOf(entries: readonly RawEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, content, head } of entries) {
    if (head?.type === undefined || head.type === 'file') tar.entry({ name, ...head }, content);
    else tar.entry({ name, ...head });
  }
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** An archive of these entries with a list and a signature of its own, as somebody with the key would make it. */
export async function archiveOf(entries: readonly RawEntry[], key: string | null = null): Promise<Buffer> {
  const held = entries.filter(({ name }) => name !== 'contents.txt' && name !== 'signature.json');
  const contents = held.map(({ name, content }) => contentsLine(name, content.length, digestOf(content))).join('');
  const hmac = key === null ? null : signDigest(digestOf(contents), key);
  return tarOf([...held, textEntry('contents.txt', contents), textEntry('signature.json', JSON.stringify({ hmac }))]);
}
