import { chownSync, closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { makeFolder } from './make-folder.ts';

/**
 * Writes a file with a secret that only its owner may read. If root writes it, the file is given to the owner of its
 * folder, so that a privileged command does not lock out the service. An earlier file stays until the new one is
 * complete, because otherwise a full disk or a killed process would leave an empty one.
 */
export function writeSecretFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.part`;
  rmSync(draft, { force: true });
  createSecretFile(draft, content);
  renameSync(draft, path);
}

/** Like `writeSecretFile`, for a file that must not exist yet. @throws EEXIST if it does. */
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

/** Gives a file that root created to the owner of its folder. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/**
 * Creates a folder and its missing parents. If root creates them, they are given to the owner of the nearest folder
 * that already existed.
 */
export function makeOwnedFolder(path: string): void {
  for (const made of makeFolder(path)) giveToOwner(made);
}
