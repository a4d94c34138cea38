import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountForPostgres } from '../../src/backing/embedded/system-account.ts';
import { onDatabase } from './database.ts';

/** Version of the PgBouncer on this machine; null where there is none. */
export const pgbouncerVersion =
  /PgBouncer (\S+)/.exec(spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? null;

/**
 * A PgBouncer in front of the PostgreSQL of `url`, in transaction mode with few connections, so that
 * each transaction of a client may well get another one.
 */
export async function startPgBouncer(url: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const { username, password, hostname, port, pathname } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-pgbouncer-'));
  const listen = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listen}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${join(folder, 'users.txt')}`,
      'pool_mode = transaction',
      'default_pool_size = 4',
      'max_client_conn = 200',
    ].join('\n'),
  );
  // Like PostgreSQL it refuses to run as root.
  const account = accountForPostgres(folder);
  chmodSync(folder, 0o755);
  if (account !== null) for (const path of [folder, file]) chownSync(path, account.uid, account.gid);
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid };
  const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], ...identity });
  let words = '';
  child.stderr.on('data', (part) => (words += part));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const pooled = `postgresql://${username}:${password}@127.0.0.1:${listen}${pathname}`;
  await reach(pooled, () => words);
  return {
    url: pooled,
    async stop() {
      child.kill('SIGINT');
      const stuck = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(stuck);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function reach(url: string, words: () => string): Promise<void> {
  for (const deadline = Date.now() + 20_000; ;) {
    try {
      return await onDatabase(url, async (client) => void (await client.query('SELECT 1')));
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`PgBouncer does not answer: ${words()}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
