import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
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
