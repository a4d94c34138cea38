// What was once found to be told, changed or run that must not be, by what is asked; one shape each. A shape that finds
// it again fails.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { pack } from 'tar-stream';
import { format } from '../../src/backup/manifest.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import type { Shape, Stage } from '../exchange.ts';
import { json, jsonType, request } from '../request.ts';
import type { RequestParts } from '../request.ts';
import { message, webSocket } from '../web-socket.ts';
import { repeat, toShapes } from './row.ts';
import type { Row } from './row.ts';

/** The number of an operation is its tenant's own count, beside a part of this many places that is the tenant's alone. */
const places = 2 ** 20;
/** Characters of a key that nobody may learn. */
const toldCharacters = 6;
const program = join(packageRoot, 'bin', 'vitrine.js');

/** The beginning of a good answer's body; null where none came, as while the service is being started. */
async function read({ target, play }: Stage, parts: RequestParts): Promise<string | null> {
  const { statuses, bodies, isWhole } = await play({ parts: request(target, parts) });
  return isWhole && statuses[0] !== undefined && statuses[0] < 300 ? (bodies[0] ?? null) : null;
}

const graphql = (query: string) =>
  ({ method: 'POST', path: '/graphql', type: jsonType, body: json({ query }) }) as const;

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** How a backup begins; nothing else of it has to be right to come to the entry behind it. */
const manifest = { format, madeAt: '', version: '', postgres: '', migrations: [], tables: [] };

/** An archive of one entry, restored into a folder of its own by the command: it must refuse in a sentence. */
async function restore(name: string, content: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-archive-'));
  try {
    const file = join(folder, 'hostile.tar');
    const mark = join(folder, 'ran');
    const archive = pack();
    archive.entry({ name: 'manifest.json' }, JSON.stringify(manifest));
    archive.entry({ name }, content.replaceAll('MARK', mark));
    archive.finalize();
    await pipeline(archive, createWriteStream(file));
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, DATA_DIR: join(folder, 'data') };
    const run = promisify(execFile)(process.execPath, [program, 'restore', file], { env, timeout: 60_000 });
    const said = await run.then(
      () => null,
      ({ stderr }: { stderr: string }) => stderr,
    );
    const refusal = `The archive contains ${JSON.stringify(name)}, which does not belong in a backup.`;
    check(said?.includes(refusal) === true, `an archive that holds ${name} was answered by: ${said ?? 'nothing'}`);
    check(!/\n +at /.test(said ?? ''), `the refusal of an archive that holds ${name} shows a stack: ${said}`);
    check(!existsSync(mark), `an archive that holds ${name} ran its command`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exchanges a folder for a link that leads out of the media folder, and back, for as long as records are read from it. */
async function exchangeFolder(stage: Stage): Promise<void> {
  const { small, huge } = stage.target.pictures;
  const [media, outside] = [dirname(small), dirname(huge)];
  if (media === outside) return;
  const name = `swap-${stage.random.between(0, 1e9)}`;
  const [place, folder, link] = ['', '-folder', '-link'].map((end) => join(media, name + end)) as [
    string,
    string,
    string,
  ];
  let isOver = false;
  const exchange = async () => {
    while (!isOver) {
      for (const each of [folder, link]) {
        renameSync(each, place);
        await sleep(stage.random.between(0, 3));
        renameSync(place, each);
      }
    }
  };
  try {
    mkdirSync(folder);
    copyFileSync(small, join(folder, basename(huge)));
    symlinkSync(outside, link);
    const exchanging = exchange();
    const body = json(repeat(60, (i) => ({ id: `${name}-${i}`, src_path: `${name}/${basename(huge)}` })));
    const written = {
      method: 'PUT',
      path: '/imgs?upsert=true&wait=true',
      key: 'editor',
      type: jsonType,
      body,
    } as const;
    for (let round = 0; round < 3; round += 1) await read(stage, written);
    isOver = true;
    await exchanging;
    const formula = encodeURIComponent('width:10000');
    const found = await read(stage, { path: `/imgs?q=${formula}&fields=image_id`, key: 'viewer' });
    check(found?.includes(name) !== true, 'a picture outside the media folder was read');
  } finally {
    isOver = true;
    for (const each of [place, folder, link]) rmSync(each, { recursive: true, force: true });
  }
}

const rows: Readonly<Record<string, Row>> = {
  'row 11: an archive with settings of PostgreSQL': {
    lane: 'heavy',
    weight: 0.01,
    act: () => restore('data/postgres/postgresql.auto.conf', "archive_mode = on\narchive_command = 'touch MARK'\n"),
  },
  'row 12: the key of the environment is rotated': {
    lane: 'quick',
    weight: 0.1,
    async act(stage) {
      const { environmentKey: key } = stage.target;
      if (key === null) return;
      const headers = [['API-Key', key]] as const;
      const listed = await read(stage, { ...graphql('{ apiKeys(limit: 1000) { results { id name } } }'), headers });
      if (listed === null) return;
      const id = /"id":"(\d+)","name":"ADMIN_API_KEY"/.exec(listed)?.[1];
      check(id !== undefined, `the key of the environment is not listed: ${listed}`);
      const rotated = await read(stage, { ...graphql(`mutation { rotateApiKey(id: "${id}") { secret } }`), headers });
      check(rotated === null || !rotated.includes('"secret":"'), 'the key of the environment was rotated');
      const asked = await stage.play({ parts: request(stage.target, { path: '/me', headers }) });
      check(!asked.statuses.includes(401), 'the key of the environment no longer works');
    },
  },
  'row 13: a verdict by the key of the environment': {
    lane: 'quick',
    weight: 0.1,
    async act(stage) {
      const { environmentKey: key } = stage.target;
      if (key === null) return;
      const headers = [['API-Key', key]] as const;
      const images = json(['one', 'other'].map((id) => ({ id, src_path: 'allium-oreophilum.jpg' })));
      await read(stage, { method: 'PUT', path: '/imgs?upsert=true&wait=true', type: jsonType, headers, body: images });
      const verdict = { method: 'PUT', path: '/verdicts/one/other', type: jsonType, body: json({ verdict: 'same' }) };
      await read(stage, { ...verdict, headers });
      const listed = await read(stage, { path: '/verdicts', headers });
      const parts = Array.from({ length: key.length - toldCharacters + 1 }, (_, i) => key.slice(i, i + toldCharacters));
      const told = parts.find((part) => listed?.includes(part) === true);
      check(told === undefined, `a verdict shows '${told}' of the key of the environment`);
    },
  },
  'row 15: a folder exchanged for a link while it is read': { lane: 'slow', weight: 0.02, act: exchangeFolder },
  'row 16: a refused call over WebSocket, in the audit trail': {
    lane: 'slow',
    weight: 0.1,
    async act(stage) {
      const { target, play } = stage;
      const refused = 'mutation { purgeImages(ids: ["a"]) { __typename } }';
      const frames = [
        message({ type: 'connection_init', payload: {} }),
        100,
        message({ type: 'subscribe', id: '1', payload: { query: refused } }),
      ];
      await play({ parts: webSocket(target, frames, { key: 'tagger' }), ending: 'kept', holdMs: 600 });
      await sleep(2_500); // Refusals are written every two seconds.
      const trail = 'auditTrail(action: "access.forbidden", limit: 20) { results { subject address } }';
      const found = await read(stage, { ...graphql(`{ ${trail} }`), key: 'admin' });
      check(found === null || !found.includes('"address":null'), `the audit trail lacks an address: ${found}`);
    },
  },
  "row 18: what numbers of operations tell of other tenants' writes": {
    lane: 'quick',
    async act(stage) {
      const list = await read(stage, { path: '/ops?limit=3', key: 'viewer' });
      const numbers = [...(list ?? '').matchAll(/"operation_id":(\d+)/g)].map(([, id]) => Number(id) % places);
      check(new Set(numbers).size <= 1, `operations of one tenant have numbers of several: ${numbers.join(', ')}`);
    },
  },
  'row 21: an archive with a name of JavaScript': {
    lane: 'heavy',
    weight: 0.01,
    act: () => restore('constructor/x', 'x'),
  },
};

export const factRows: readonly Shape[] = toShapes(rows);
