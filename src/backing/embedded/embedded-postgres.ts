import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SetupError } from '../../lib/errors.ts';
import { giveToOwner } from '../../lib/secret-file.ts';
import { endWithProcess } from './end-with-process.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { database, freePort, readConnection, toUrl, writeConnection } from '../postgres/postgres-connection.ts';
import type { PostgresAddress } from '../postgres/postgres-connection.ts';
import { makeDataDir } from './data-dir.ts';
import { initializeData } from './initialize-data.ts';
import { findPostgresFiles } from './postgres-place.ts';
import { refuseOtherHost } from './service-lock.ts';
import { letOthersPass } from './open-folders.ts';
import { clearLeftovers, draftOf, postmasterIsAlive, processIsAlive, removeDrafts } from './postgres-leftovers.ts';
import { rotateLog } from './postgres-log.ts';
import { lockSetup } from './setup-lock.ts';
import { sharedBuffers } from './shared-buffers.ts';
import { accountForPostgres, canEnter } from './system-account.ts';
import type { Account } from './system-account.ts';

/** The account that PostgreSQL runs as; empty for that of this process. */
type Identity = Readonly<{ uid?: number; gid?: number }>;

/** How long starting may take; the slow case is recovery after a crash. */
const startTimeoutMs = 120_000;

/** How long the connections that a process has closed may still be listed: on a busy machine, that takes a while. */
const endedMs = 2_000;

/** A running embedded PostgreSQL. */
export type EmbeddedPostgres = Readonly<{
  url: string;
  /** True if this process started it. */
  isOurs: boolean;
  /** Restarts it on its port if its process has died. @returns whether that was necessary. */
  revive(): Promise<boolean>;
  /** Keeps its log within the size limit. */
  rotateLog(): void;
  stop(): Promise<void>;
  /**
   * Called when a command is done with it: stops it, unless others still use it, or the process that started it will
   * stop it.
   */
  release(): Promise<void>;
}>;

type EmbeddedOptions = Readonly<{
  dataDir: string;
  /** Extra settings, `name=value`. */
  settings?: readonly string[];
}>;

/**
 * Starts PostgreSQL on the data in `dataDir` (created on the first call), or connects to the one that already runs
 * there: next to a running server, or left behind by a server that was killed.
 *
 * @throws SetupError with a remedy if it cannot run.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir } = options;
  makeDataDir(dataDir);
  if (readConnection(dataDir) !== null) return startOrConnect(options);
  const unlock = await lockSetup(dataDir);
  return startOrConnect(options).finally(unlock);
}

async function startOrConnect(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir } = options;
  const known = readConnection(dataDir);
  const found = findPostgresFiles(dataDir, known);
  const account = accountForPostgres(found ?? join(dataDir, 'postgres'));
  const folder = found ?? placeForData(dataDir, account);
  if (account !== null && found !== null) refuseClosed(dirname(folder), account);
  const { folder: home } = findPostgresBinaries(account);
  const program = (name: string) => join(home, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid };

  const end = () => stop(program('pg_ctl'), folder, identity);
  const handle = (connection: PostgresAddress, letGo: (() => void) | null): EmbeddedPostgres => ({
    url: toUrl(connection),
    isOurs: letGo !== null,
    async revive() {
      if (postmasterIsAlive(folder)) return false;
      await clearLeftovers(folder);
      await start(program('postgres'), connection, options, identity);
      return true;
    },
    rotateLog: () => rotateLog(logOf(dataDir)),
    stop: end,
    async release() {
      // If the process that started it was killed, nobody else will stop it.
      const isStarters = letGo === null && (connection.starter === undefined || processIsAlive(connection.starter));
      if (isStarters) return;
      if (await hasOtherUsers(connection)) letGo?.();
      else await end();
    },
  });
  if (known !== null && (await answersSoon({ ...known, folder }))) return handle({ ...known, folder }, null);
  await refuseOtherHost(dataDir);
  for (const each of new Set([dataDir, dirname(folder)])) removeDrafts(each);
  const password = known?.password ?? randomBytes(24).toString('base64url');
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    const draft = draftOf(folder);
    initializeData(program('initdb'), { folder, draft, password, account });
  }
  await clearLeftovers(folder);
  if (known === null) setPassword(program('postgres'), folder, password, identity);
  const port = await freePort(known?.port);
  const connection = { port, user: 'vitrine', password, folder, dataDir: realpathSync(dataDir), starter: process.pid };
  writeConnection(dataDir, connection);
  return handle(connection, await start(program('postgres'), connection, options, identity));
}

/** Returns the URL of the server that is running on `dataDir`, or null; starts nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const known = readConnection(dataDir);
  if (known === null) return null;
  const folder = findPostgresFiles(dataDir, known);
  return folder !== null && postmasterIsAlive(folder) && (await answers(known)) ? toUrl(known) : null;
}

/**
 * @throws SetupError if PostgreSQL's account cannot enter the folder of its files, for example after they were moved
 * below /root.
 */
function refuseClosed(folder: string, account: Account): void {
  if (canEnter(folder, account)) return;
  throw new SetupError(
    `PostgreSQL runs as ${account.name} here, which cannot enter ${folder}.\n` +
      `Move DATA_DIR, let others enter the folders above it, or start Vitrine as an ordinary user.`,
  );
}

/** Where databases go if the account that runs PostgreSQL cannot enter DATA_DIR. */
const systemFolder = '/var/lib/vitrine';

/** In DATA_DIR if the account can enter it; otherwise in a new system folder, which postgres.json records. */
function placeForData(dataDir: string, account: Account | null): string {
  if (account === null || canEnter(dataDir, account)) return join(dataDir, 'postgres');
  // An earlier start may have created it with a umask that keeps others out.
  if (existsSync(systemFolder) && !canEnter(systemFolder, account)) letOthersPass(systemFolder);
  return join(systemFolder, randomBytes(6).toString('hex'), 'postgres');
}

/**
 * Sets the password without a running server. Only postgres.json has it, so if that file is missing (it was lost, or
 * the process was killed right after initdb), this is how to get at the data again.
 */
function setPassword(postgres: string, folder: string, password: string, identity: Identity): void {
  const input = `ALTER USER vitrine PASSWORD '${password}';\n`;
  const result = spawnSync(postgres, ['--single', '-D', folder, 'postgres'], {
    input,
    cwd: folder,
    encoding: 'utf8',
    ...identity,
  });
  if (result.status !== 0) {
    throw new SetupError(
      `The embedded PostgreSQL in ${folder} cannot be opened:\n${result.error?.message ?? result.stderr}`,
    );
  }
}

/**
 * Starts it, with a second attempt if it dies at the first: if it was killed while creating tables, its recovery
 * fails once, because it comes across a file that it then removes.
 *
 * @returns a function after which it no longer ends with this process.
 */
async function start(
  postgres: string,
  connection: PostgresAddress,
  options: EmbeddedOptions,
  identity: Identity,
  isRepeated = false,
): Promise<() => void> {
  const { dataDir, settings = [] } = options;
  const defaults = [
    `port=${connection.port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    `shared_buffers=${sharedBuffers()}MB`,
    'jit=off',
    'max_wal_size=2GB',
    'wal_compression=on',
    'random_page_cost=1.1',
    'timezone=UTC',
    'log_timezone=UTC',
  ];
  const logPath = logOf(dataDir);
  rotateLog(logPath);
  const log = openSync(logPath, 'a', 0o600);
  giveToOwner(logPath);
  const child = spawn(
    postgres,
    ['-D', connection.folder, ...[...defaults, ...settings].flatMap((setting) => ['-c', setting])],
    // In a process group of its own: Ctrl-C must reach us first, so that running writes can finish.
    { stdio: ['ignore', log, log], detached: true, cwd: connection.folder, ...identity },
  );
  closeSync(log);
  let failure: string | null = null;
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code) => (failure ??= `it ended with code ${code}`));
  child.unref();
  const letGo = endWithProcess(child);
  const deadline = Date.now() + startTimeoutMs;
  while (!(await answers(connection))) {
    if (failure !== null && !isRepeated) return start(postgres, connection, options, identity, true);
    if (failure !== null || Date.now() > deadline) {
      throw new SetupError(
        `The embedded PostgreSQL did not start: ${failure ?? 'no answer in time'}.\n` +
          `Last log lines, from ${logPath}:\n${lastLines(logPath)}`,
      );
    }
    await sleep(20);
  }
  return letGo;
}

async function stop(pgCtl: string, folder: string, identity: Identity): Promise<void> {
  const child = spawn(pgCtl, ['stop', '-D', folder, '-m', 'fast', '-w', '-t', '60'], {
    stdio: 'ignore',
    cwd: folder,
    ...identity,
  });
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
}

/** Whether a server is running there and accepts connections; waits until it has recovered from a crash. */
async function answersSoon(connection: PostgresAddress): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  while (postmasterIsAlive(connection.folder) && Date.now() < deadline) {
    if (await answers(connection)) return true;
    await sleep(50);
  }
  return false;
}

/** Whether other processes are connected; our own connections that have just ended may still be listed for a moment. */
async function hasOtherUsers(connection: PostgresAddress): Promise<boolean> {
  const client = new pg.Client({ connectionString: toUrl(connection), connectionTimeoutMillis: 2000 });
  client.on('error', () => {}); // The server may stop during the query.
  const deadline = Date.now() + endedMs;
  try {
    await client.connect();
    for (;;) {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
      if (rowCount === 0) return false;
      if (Date.now() > deadline) return true;
      await sleep(50);
    }
  } catch {
    return postmasterIsAlive(connection.folder); // It may have no connection left.
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether the server accepts connections; creates our database in a new cluster. */
async function answers(connection: PostgresAddress): Promise<boolean> {
  const client = new pg.Client({ connectionString: toUrl(connection, 'postgres'), connectionTimeoutMillis: 2000 });
  client.on('error', () => {}); // The server may stop during the query; the answer is then "no".
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

const logOf = (dataDir: string) => join(dataDir, 'postgres.log');

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
}
