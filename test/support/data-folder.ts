import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { copyFolder } from './copy-folder.ts';
import { newFolder } from './program.ts';

/** A new DATA_DIR whose PostgreSQL has every table and nothing in them, as after a start that ended at once. */
export function newDataFolder(): string {
  const folder = newFolder();
  const template = inject('dataFolder');
  const postgres = join(folder, 'postgres');
  copyFolder(join(template, 'postgres'), postgres);
  const connection = JSON.parse(readFileSync(join(template, 'postgres.json'), 'utf8')) as Record<string, unknown>;
  const text = JSON.stringify({ ...connection, port: 0, folder: postgres });
  writeFileSync(join(folder, 'postgres.json'), text, { mode: 0o600 });
  return folder;
}
