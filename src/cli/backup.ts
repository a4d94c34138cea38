import { stat } from 'node:fs/promises';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import {
  lockDataDir,
  prepareDatabase,
  requireCatalog,
  requireEmbeddedCatalog,
  requireServer,
} from '../backing/index.ts';
import {
  checkArchive,
  checkUnused,
  ensureSigningKey,
  findSigningKey,
  foldersOf,
  openArchive,
  readArchive,
  writeArchive,
} from '../backup/index.ts';
import type { OpenArchive, RestoreOptions, Restored } from '../backup/index.ts';
import { readConfig } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { isBelow } from '../lib/is-below.ts';
import { withDatabaseUrl } from './database-url.ts';
import { InterruptedError, interruptible } from './interrupt.ts';
import { checkOutputFile } from './output-file.ts';
import { writeLine } from './output.ts';
import type { SessionOptions } from './session.ts';
import { toDigest } from './values.ts';
import { writeWhole } from './write-whole.ts';

type Options = Readonly<{ media?: boolean; uploads?: boolean; replace?: boolean; trust?: string; json?: boolean }>;

export function addBackupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description(
      'write the database, uploaded files and DATA_DIR to one archive, while the service runs; - is standard output',
    )
    .option('--media', 'include the files below MEDIA_ROOTS')
    .option('--no-uploads', 'leave out the uploaded files')
    .option('--json', 'print JSON')
    .action(async (file: string, { media, uploads, json }: Options) => {
      const config = readConfig();
      checkOutside(file, config, media);
      await checkOutputFile(file);
      const { digest, isSigned } = await withDatabaseUrl(config, async (url) => {
        await requireCatalog(url);
        return backUp(config, { url, file, media, uploads });
      });
      const about = `${isSigned ? 'Signed' : `NOT signed: ${config.dataDir} cannot be written`}. Digest: ${digest}`;
      if (file === '-') {
        process.stderr.write(`${about}\n`);
        return;
      }
      const { size } = await stat(file);
      const wrote = `Wrote ${file}, ${(size / 2 ** 20).toFixed(1)} MiB.\n${about}`;
      writeLine({ file, bytes: size, digest, isSigned }, { json, text: () => wrote });
    });
  program
    .command('restore <file>')
    .description('fill an empty database and DATA_DIR from an archive; - is standard input')
    .option('--replace', 'delete all rows of the database first')
    .option('--media', 'also write the files below MEDIA_ROOTS')
    .option('--trust <digest>', 'restore the archive with this digest, whoever signed it', toDigest)
    .option('--json', 'print JSON')
    .action(async (file: string, { media, replace = false, trust, json }: Options) => {
      const config = readConfig();
      const archive = await openArchive(file === '-' ? process.stdin : file);
      const restored = await restoreFrom(archive, config, { media, replace, trust }).finally(archive.close);
      writeLine(restored, { json, text: () => describe(restored) });
    });
  program
    .command('move <url>')
    .description('copy everything from the configured database into an empty PostgreSQL of your own')
    .option('--replace', 'delete all rows of that database first')
    .option('--json', 'print JSON')
    .action(async (target: string, { replace = false, json }: Options) => {
      if (!/^postgres(?:ql)?:\/\//.test(target))
        throw new SetupError('Give the address as postgres://USER:PASSWORD@HOST/DATABASE.');
      const config = readConfig();
      const moved = await alone(config, () =>
        withDatabaseUrl(config, async (url) => {
          await requireCatalog(url);
          await requireServer(target);
          await checkUnused(url); // Anything written there during the copy would be missing here.
          return restoreInto(target, writeArchive({ url, folders: {} }), { folders: {}, replaces: replace });
        }),
      );
      const next = 'Next: set DATABASE_URL to that address and start. The old database was not changed.';
      writeLine(moved, { json, text: () => `${describe(moved)}\n${next}` });
    });
}

/** Refuses a file inside a folder that is archived: the archive would contain itself and all earlier ones. */
function checkOutside(file: string, { dataDir, mediaRoots }: Config, media = false): void {
  if (file === '-') return;
  const around = [dataDir, ...mediaRoots].filter((folder) => isBelow(file, folder));
  // If these folders are nested, the file belongs to the innermost one that contains it.
  const [folder] = around.toSorted((a, b) => b.length - a.length);
  if (folder === undefined || (folder !== dataDir && !media)) return;
  throw new SetupError(
    `${file} is inside ${folder}, which is part of the archive: each archive would contain the earlier ones.\n` +
      'Choose a file elsewhere, or - for standard output.',
  );
}

/** Ensures that no server is using the embedded database; for an external database, the work itself checks that. */
async function alone<T>(
  { databaseUrl, dataDir }: Config,
  work: () => Promise<T>,
  { creates = false }: SessionOptions = {},
): Promise<T> {
  if (databaseUrl === undefined && !creates) requireEmbeddedCatalog(dataDir);
  const unlock = databaseUrl === undefined ? await lockDataDir(dataDir) : () => {};
  try {
    return await work();
  } finally {
    unlock();
  }
}

type Backup = Readonly<{ url: string; file: string; media: boolean | undefined; uploads: boolean | undefined }>;

async function backUp(
  config: Config,
  { url, file, media, uploads }: Backup,
): Promise<{ digest: string; isSigned: boolean }> {
  const key = ensureSigningKey(config);
  let digest = '';
  const archive = writeArchive({
    url,
    folders: foldersOf(config, { media, uploads }),
    except: [config.dataDir, ...config.mediaRoots],
    key,
    onDigest: (made) => (digest = made),
  });
  await writeTo(file, Readable.from(archive));
  return { digest, isSigned: key !== null };
}

/** Checks the whole archive before anything is changed and before a database is started. */
async function restoreFrom(
  archive: OpenArchive,
  config: Config,
  { media, replace = false, trust = null }: Readonly<{ media?: boolean; replace?: boolean; trust?: string | null }>,
): Promise<Restored> {
  const folders = foldersOf(config, { media });
  const asked = media === true ? Object.keys(folders).filter((name) => name.startsWith('media')) : undefined;
  const digest = await checkArchive(archive.read(), { key: findSigningKey(config), digest: trust, media: asked });
  const target = {
    folders,
    except: [config.dataDir, ...config.mediaRoots],
    replaces: replace,
    digest,
  };
  const restore = (url: string) => restoreInto(url, archive.read(), target);
  const isFirst = { creates: true };
  return alone(config, () => withDatabaseUrl(config, restore, isFirst), isFirst);
}

type Target = Omit<RestoreOptions, 'url'>;

async function restoreInto(url: string, source: AsyncIterable<Buffer>, target: Target): Promise<Restored> {
  const restored = await readArchive(source, { url, ...target });
  // Applies migrations newer than the archive, and creates the tables of the queue, which archives do not contain.
  await prepareDatabase(url, { migrates: true });
  return restored;
}

async function writeTo(file: string, archive: Readable): Promise<void> {
  const packing = /\.(?:gz|tgz)$/.test(file) ? [createGzip({ level: 3 })] : [];
  if (file === '-') return pipeline(archive, process.stdout);
  await interruptible((signal) =>
    writeWhole(file, [archive, ...packing], { mode: 0o600, signal }).catch((error: unknown) => {
      throw signal.aborted ? new InterruptedError('Interrupted: no archive was written.') : error;
    }),
  );
}

function describe({ madeAt, rows, files }: Restored): string {
  const lines = ['tenant', 'api_key', 'image', 'video', 'operation'].map(
    (table) => `  ${table.padEnd(10)}${rows[table] ?? 0}`,
  );
  return [
    `Restored the backup of ${madeAt}; all rows were counted and compared:`,
    ...lines,
    `  ${'files'.padEnd(10)}${files}`,
  ].join('\n');
}
