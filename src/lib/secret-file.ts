import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import process from 'node:process';

/**
 * Writes a file with a secret that only its owner may read. Of root, it belongs to the owner of its folder, so that a
 * command with more rights does not lock out the service.
 *
 * @param flag as of `writeFileSync`.
 */
export function writeSecretFile(path: string, content: string, flag = 'w'): void {
  writeFileSync(path, content, { mode: 0o600, flag });
  chmodSync(path, 0o600); // An older file would keep its mode.
  giveToOwner(path);
}

/** Gives a file that root has made to the owner of its folder. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/** Creates a folder and those above it. Of root, they belong to the owner of the one that was there before. */
export function makeOwnedFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  let folder = first;
  giveToOwner(folder);
  for (const name of relative(first, path).split(sep)) {
    if (name === '') continue;
    folder = join(folder, name);
    giveToOwner(folder);
  }
}
