import { access, constants, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Command } from 'commander';
import pg from 'pg';
import { findEmbeddedPostgres, tryRedis } from '../backing/index.ts';
import { loadDecoder } from '../vision/index.ts';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { print } from './output.ts';

/** One thing that was looked at: whether it is well, and what to do when it is not. */
type Finding = Readonly<{ subject: string; state: 'ok' | 'note' | 'fault'; text: string; remedy?: string }>;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('say what runs, what can be reached, what is configured, and what to do about it')
    .option('--json', 'print JSON')
    .action(async ({ json }: Readonly<{ json?: boolean }>) => {
      const config = readConfig();
      const findings = (
        await Promise.all([node(), database(config), queue(config), api(config), media(config), videos(), disk(config)])
      ).flat();
      print(findings, { json, text: () => findings.map(describe).join('\n') });
      if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
    });
}

const marks = { ok: '✓', note: '·', fault: '✗' } as const;

function describe({ subject, state, text, remedy }: Finding): string {
  const line = `${marks[state]} ${subject.padEnd(10)} ${text}`;
  return remedy === undefined ? line : `${line}\n  ${' '.repeat(10)} → ${remedy}`;
}

function node(): Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  const text = `Node ${process.versions.node} on ${process.platform}-${process.arch}, ${hostname()}`;
  return [
    isEnough
      ? { subject: 'node', state: 'ok', text }
      : { subject: 'node', state: 'fault', text, remedy: 'Install Node 20.19 or newer.' },
  ];
}

async function database(config: Config): Promise<Finding[]> {
  const url = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
  if (url === null) {
    const text = `the embedded PostgreSQL under ${config.dataDir} is not running`;
    return [{ subject: 'database', state: 'note', text, remedy: 'It starts with the service: npm start' }];
  }
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // Reported by the query that fails.
  try {
    await client.connect();
    const { rows } = await client.query<{
      version: string;
      images: number;
      waiting: number;
      videos: number;
      unseen: number;
    }>(
      `SELECT current_setting('server_version') AS version, (SELECT count(*) FROM image)::int AS images,
              (SELECT count(*) FROM video)::int AS videos,
              (SELECT count(*) FROM video WHERE ai_status = 'failed')::int AS unseen,
              (SELECT count(*) FROM operation WHERE state <> 'finished')::int AS waiting`,
    );
    const { version = '?', images = 0, videos = 0, unseen = 0, waiting = 0 } = rows[0] ?? {};
    const records = `${images} images, ${videos} videos${unseen === 0 ? '' : ` (${unseen} with ai_status failed)`}`;
    const place = config.databaseUrl === undefined ? 'embedded' : 'DATABASE_URL';
    return [
      {
        subject: 'database',
        state: 'ok',
        text: `PostgreSQL ${version}, ${place}: ${records}, ${waiting} unfinished operations`,
      },
    ];
  } catch (error) {
    const remedy =
      config.databaseUrl === undefined
        ? 'Look into postgres.log in DATA_DIR.'
        : 'Check DATABASE_URL and that the server accepts connections from here; then run: npm start';
    return [
      { subject: 'database', state: 'fault', text: `PostgreSQL does not answer: ${(error as Error).message}`, remedy },
    ];
  } finally {
    await client.end().catch(() => {});
  }
}

async function queue({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [];
  const fault = await tryRedis(redisUrl);
  if (fault === null) return [{ subject: 'queue', state: 'ok', text: 'Redis of REDIS_URL answers' }];
  const text = `Redis of REDIS_URL cannot be used: ${fault.reason}`;
  const remedy = 'Start it, correct REDIS_URL, or unset it everywhere: the queue then lives in PostgreSQL.';
  return [{ subject: 'queue', state: 'fault', text, remedy }];
}

async function api({ host, port }: Config): Promise<Finding[]> {
  const url = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}/ready`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(3000) });
    const isOurs = answer.headers.has('api-version');
    if (isOurs && answer.ok) return [{ subject: 'api', state: 'ok', text: `answers at ${url}` }];
    const text = isOurs ? `is up but not ready (${answer.status})` : `something else answers at ${url}`;
    return [{ subject: 'api', state: 'fault', text, remedy: isOurs ? 'See its log.' : 'Choose another PORT.' }];
  } catch {
    return [
      { subject: 'api', state: 'note', text: `nothing answers at ${url}`, remedy: 'Start the service: npm start' },
    ];
  }
}

async function media({ mediaRoots }: Config): Promise<Finding[]> {
  return Promise.all(
    mediaRoots.map(async (root): Promise<Finding> => {
      try {
        await access(root, constants.R_OK | constants.X_OK);
        return { subject: 'media', state: 'ok', text: `${root} can be read` };
      } catch {
        return {
          subject: 'media',
          state: 'note',
          text: `${root} cannot be read`,
          remedy: 'Make the folder, or set MEDIA_ROOTS to where pictures are.',
        };
      }
    }),
  );
}

/** Whether pictures of videos can be decoded here. */
async function videos(): Promise<Finding[]> {
  const fault = await loadDecoder();
  if (fault === null) return [{ subject: 'videos', state: 'ok', text: 'pictures of videos can be decoded' }];
  const remedy =
    'Videos are stored without pictures. Run npm install again, then analyzeVideos(q: "ai_status:failed").';
  return [{ subject: 'videos', state: 'note', text: fault, remedy }];
}

async function disk({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  if (databaseUrl !== undefined || (await stat(dataDir).catch(() => null)) === null) return [];
  const { bavail, bsize } = await statfs(dataDir);
  const free = (bavail * bsize) / 2 ** 30;
  const text = `${free.toFixed(1)} GiB free under ${dataDir}`;
  return [
    free > 2
      ? { subject: 'disk', state: 'ok', text }
      : { subject: 'disk', state: 'fault', text, remedy: 'Free some space, or move DATA_DIR.' },
  ];
}
