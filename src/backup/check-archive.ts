import { text } from 'node:stream/consumers';
import { SetupError } from '../lib/errors.ts';
import { isSignedBy } from './contents.ts';
import { parseEnd, parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { quoted } from './members.ts';
import { walkArchive } from './walk.ts';
import type { Seal } from './walk.ts';

/** What makes an archive trustworthy enough to restore here. */
type Trust = Readonly<{
  /** The key of this installation; null if it has none. */
  key: string | null;
  /** The digest that a person vouches for; null if none was given. */
  digest: string | null;
  /** The names of the media folders that can be restored; absent if media are not asked for. */
  media?: readonly string[] | undefined;
}>;

/**
 * Reads an archive from start to end without changing anything: every file must be one that a backup may contain and match
 * the size and digest in the archive's list, and the list must be signed with the key of this installation, or a person must
 * vouch for it.
 *
 * @returns The digest, which lets a second reading verify that it reads the same content.
 * @throws SetupError that says what is wrong and, if only trust is missing, what to do.
 */
export async function checkArchive(source: AsyncIterable<Buffer>, trust: Trust): Promise<string> {
  let manifest: Manifest | null = null;
  const media = new Set<string>();
  const seal = await walkArchive(source, async ({ kind, name, content }) => {
    if (kind === 'manifest') manifest = parseManifest(await text(content));
    else if (kind === 'end') parseEnd(await text(content));
    else for await (const piece of content) void piece;
    if (kind === 'table') checkTable(manifest, name);
    if (kind === 'media') media.add(name.slice(0, name.indexOf('/')));
  });
  checkTrust(seal, trust);
  checkMedia([...media], trust.media);
  return seal.digest;
}

function checkTable(manifest: Manifest | null, name: string): void {
  const table = name.split('/')[1] ?? '';
  if (manifest?.tables.some((each) => each.name === table)) return;
  throw new SetupError(`The archive has rows of a table that is not in its manifest: ${quoted(table)}.`);
}

/** @throws SetupError if files would be left out because they have no folder to go to. */
function checkMedia(found: readonly string[], restored: readonly string[] = found): void {
  if (found.every((name) => restored.includes(name))) return;
  throw new SetupError(
    `The archive has files of ${found.length} media folders (${found.join(', ')}), and MEDIA_ROOTS names ${restored.length}.\n` +
      'Set MEDIA_ROOTS to as many folders as when the backup was made, in the same order. Nothing was changed.',
  );
}

/** @throws SetupError if neither a signature nor a person vouches for the archive. */
function checkTrust({ digest, signature }: Seal, trust: Trust): void {
  if (trust.digest !== null) {
    if (trust.digest.toLowerCase() === digest) return;
    throw new SetupError(`The digest of this archive is ${digest}, not the one that --trust names.`);
  }
  if (trust.key !== null && signature !== null && isSignedBy(trust.key, digest, signature)) return;
  throw new SetupError(
    `This archive is not signed with the key of this installation.\n` +
      `Its digest is ${digest}. If that is what "vitrine backup" printed when you made it, restore it with\n` +
      `--trust ${digest}, or set BACKUP_KEY to the key that signed it.`,
  );
}
