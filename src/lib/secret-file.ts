import { chownSync, closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { makeFolder } from './make-folder.ts';

/**
 * Writes a file with a secret that only its owner may read. Of root, it belongs to the owner of its folder, so that a
 * command with more rights does not lock out the service. An earlier file stays until the new one is complete: a full disk
 * or a killed process would leave an empty one.
 */
export function writeSecretFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.part`;
  rmSync(draft, { force: true });
  createSecretFile(draft, content);
  renameSync(draft, path);
}

/** The same of a file that is not there yet. @throws EEXIST if it is. */
export function createSecretFile(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, content, { flush: true });
    giveToOwner(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Gives a file that root has made to the owner of its folder. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/** Creates a folder and those above it. Of root, they belong to the owner of the one that was there before. */
export function makeOwnedFolder(path: string): void {
  for (const made of makeFolder(path)) giveToOwner(made);
}
