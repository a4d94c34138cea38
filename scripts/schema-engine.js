// Prisma's schema engine as WebAssembly, because the native one would have to be downloaded.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

const path = 'prisma/schema.prisma';
let isLoaded = false;

/** Node cannot import WebAssembly as a module yet, so it is instantiated by hand. */
function load() {
  if (isLoaded) return;
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const wasm = new WebAssembly.Module(readFileSync(join(dirname(entry), 'schema_engine_bg.wasm')));
  const { exports } = new WebAssembly.Instance(wasm, { './schema_engine_bg.js': engineModule });
  engineModule.__wbg_set_wasm(exports);
  exports.__wbindgen_start?.();
  isLoaded = true;
}

/**
 * The SQL that migrates from one Prisma schema to another; from an empty database if `from` is null. The engine needs
 * a database only to ask for its version; it reads and changes nothing there.
 */
export async function diffSchemas(from, to, databaseUrl) {
  load();
  const factory = bindMigrationAwareSqlAdapterFactory(new PrismaPg(databaseUrl));
  const engine = await engineModule.SchemaEngine.new({ datamodels: [[path, to]] }, () => {}, factory);
  const { stdout } = await engine.diff({
    from: from === null ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: [{ path, content: from }] },
    to: { tag: 'schemaDatamodel', files: [{ path, content: to }] },
    script: true,
    exitCode: null,
    shadowDatabaseUrl: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return (stdout ?? '').includes('This is an empty migration') ? '' : (stdout ?? '');
}
