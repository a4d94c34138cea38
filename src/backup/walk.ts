import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { SetupError } from '../lib/errors.ts';
import { contentsLine } from './contents.ts';
import { parseSignature } from './manifest.ts';
import { memberCheck } from './members.ts';
import type { Kind } from './members.ts';
import { readTar } from './tar.ts';
import type { Entry } from './tar.ts';

/** A file of an archive, whose name and place were checked. */
export type Member = Entry & Readonly<{ kind: Kind }>;

/** What the end of an archive says about the rest. */
export type Seal = Readonly<{
  /** SHA-256 of contents.txt, which lists name, size and SHA-256 of each file. */
  digest: string;
  /** HMAC of the digest; null if the archive was made without a key. */
  signature: string | null;
}>;

/**
 * Reads an archive to its end: `take` is called for each file with content, in order, and must read all of it. Before
 * this returns, the digests of all files are compared with the list in the archive.
 *
 * @throws SetupError if the archive contains anything that does not belong there, is truncated, or was altered.
 */
export async function walkArchive(
  source: AsyncIterable<Buffer>,
  take: (member: Member) => Promise<void>,
): Promise<Seal> {
  const check = memberCheck();
  const listed = createHash('sha256');
  let digest = '';
  let signature: string | null = null;
  for await (const entry of readTar(source)) {
    const kind = check.add(entry.name, entry.size);
    const hash = createHash('sha256');
    const content = hashed(entry.content, hash);
    if (kind === 'signature') {
      signature = parseSignature(await text(content));
    } else if (kind === 'contents') {
      for await (const piece of content) void piece;
      digest = listed.digest('hex');
      if (hash.digest('hex') !== digest) {
        throw new SetupError('The archive is damaged or was altered: its files do not match its list.');
      }
    } else {
      await take({ kind, name: entry.name, size: entry.size, content });
      listed.update(contentsLine(entry.name, entry.size, hash.digest('hex')));
    }
  }
  check.end();
  return { digest, signature };
}

async function* hashed(content: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}
