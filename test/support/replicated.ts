import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { postmasterPid, prepareDatabase, processIsAlive, startEmbeddedPostgres } from '../../src/backing/index.ts';
import type { EmbeddedPostgres } from '../../src/backing/index.ts';
import { readConnection, writeConnection } from '../../src/backing/postgres/postgres-connection.ts';
import { copyFolder } from './copy-folder.ts';
import { onDatabase } from './database.ts';

/** A primary with all tables, and a replica that streams from it: two real servers. */
export type Replicated = Readonly<{
  url: string;
  replicaUrl: string;
  /** Kills the replica's server; `startReplica` starts it again. */
  killReplica(): void;
  /** Stops all its processes, so that it answers nothing and closes nothing. */
  freezeReplica(): void;
  thawReplica(): void;
  startReplica(): Promise<void>;
  /** Makes it another primary. */
  promoteReplica(): Promise<void>;
  /** Whether the replica replays what it receives. */
  replay(isOn: boolean): Promise<void>;
  close(): Promise<void>;
}>;

const settings = ['fsync=off', 'wal_compression=off'];

export async function startReplicated(folder: string): Promise<Replicated> {
  const [dataDir, replicaDir] = [join(folder, 'primary'), join(folder, 'replica')];
  const first = await startEmbeddedPostgres({ dataDir, settings });
  await prepareDatabase(first.url, { migrates: true, hasQueue: true });
  await first.stop();
  copyData(dataDir, replicaDir);
  const primary = await startEmbeddedPostgres({ dataDir, settings });
  const start = () => startEmbeddedPostgres({ dataDir: replicaDir, settings: [...settings, follows(primary.url)] });
  let replica: EmbeddedPostgres = await start();
  const data = join(replicaDir, 'postgres');
  const killAll = (signal: NodeJS.Signals) => {
    for (const pid of processesIn(data)) if (processIsAlive(pid)) process.kill(pid, signal);
  };
  return {
    url: primary.url,
    replicaUrl: replica.url,
    killReplica: () => process.kill(postmasterPid(data) ?? 0, 'SIGKILL'),
    freezeReplica: () => killAll('SIGSTOP'),
    thawReplica: () => killAll('SIGCONT'),
    async startReplica() {
      replica = await start();
    },
    async promoteReplica() {
      await onDatabase(replica.url, (client) => client.query('SELECT pg_promote()'));
    },
    async replay(isOn) {
      const act = isOn ? 'pg_wal_replay_resume' : 'pg_wal_replay_pause';
      await onDatabase(replica.url, (client) => client.query(`SELECT ${act}()`));
    },
    async close() {
      killAll('SIGCONT');
      await Promise.all([replica.stop(), primary.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The setting that makes a server follow another one. */
function follows(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `primary_conninfo=host=${hostname} port=${port} user=${username} password=${password}`;
}

/** The files of a server that is stopped, for another one that is to follow it. */
function copyData(from: string, to: string): void {
  const known = readConnection(from);
  if (known === null) throw new Error('There is no server to copy');
  mkdirSync(to);
  const folder = join(to, 'postgres');
  copyFolder(known.folder, folder);
  const signal = join(folder, 'standby.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(known.folder);
  chownSync(signal, uid, gid);
  writeConnection(to, { ...known, port: 0, folder });
}

/** A server and its children; none where it has ended. */
function processesIn(folder: string): number[] {
  const pid = postmasterPid(folder);
  if (pid === null) return [];
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)];
}

function parentOf(pid: string): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return null; // It has ended.
  }
}
