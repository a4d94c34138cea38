import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command } from '../support/command.ts';
import { run } from '../support/program.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

/** More than a page of a move. */
const size = 1_300;

let [here, there]: World[] = [];
let [source, target]: Client[] = [];
/** Kept from one test to the next. */
const folder = mkdtempSync(join(tmpdir(), 'move-'));
const keyFile = (name: string) => join(folder, `${name}.key`);

/** A record that another installation has analyzed. */
function recordOf(n: number) {
  const byte = Buffer.alloc(32, n % 251).toString('base64');
  const at = new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString();
  const outcome = { analyzer: 'builtin', version: '1', milliseconds: 3 };
  return {
    id: `picture-${n}`,
    src_path: `archive/${n}.jpg`,
    title: `Vista número ${n % 7}`,
    country: n % 3 === 0 ? 'España' : 'Japan',
    keywords: [`word ${n % 5}`, 'playa'],
    nsfw: n % 2 === 0,
    analysis: {
      version: 1,
      columns: {
        width: 100 + n, height: 80, format: 'jpeg', byteSize: 1000 + n, checksum: n.toString(16).padStart(64, '0'), placeholder: null,
        aiStatus: 'ready', lang: n % 2 === 0 ? 'es' : 'en', nFaces: n % 4, ocr: null, bw: false, colors: null, concepts: null,
        provenance: null, createdAt: at, updatedAt: at, duplicateOf: null,
      },
      signature: 'of another',
      analyzedAt: at,
      facts: { pdq: outcome, faces: { ...outcome, result: [] } },
      fingerprint: { pdq: byte, quality: 90, regions: null, details: null, embedding: null, model: null },
      frames: [],
    },
  }; // prettier-ignore
}

async function everything(client: Client): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let after: string | null = null; ;) {
    const { data } = await client.graphql('query R($a: String) { p: analyzedImages(after: $a, limit: 1000) { results cursor } }', { a: after }); // prettier-ignore
    all.push(...data.p.results);
    after = data.p.cursor;
    if (after === null) return all;
  }
}

const move = (...more: string[]) => [
  'tenant', 'move', '--from', here?.url ?? '', '--from-key-file', keyFile('from'), '--to', there?.url ?? '', '--to-key-file', keyFile('to'), '--state', join(folder, 'state.json'), ...more,
]; // prettier-ignore

beforeAll(async () => {
  [here, there] = await Promise.all([openWorld(), openWorld()]);
  [source, target] = [await here.client(), await there.client()];
  writeFileSync(keyFile('from'), source.key);
  writeFileSync(keyFile('to'), `${target.key}\n`);
  const records = Array.from({ length: size }, (_, n) => recordOf(n));
  await source.graphql(
    'mutation I($records: [AnalyzedRecord!]!) { importImages(records: $records, wait: true, waitSeconds: 100) { ... on Operation { numGood } } }',
    { records },
  );
}, 120_000);
afterAll(async () => {
  await Promise.all([here?.close(), there?.close()]);
  rmSync(folder, { recursive: true });
});

it('a tenant that is moved, killed and moved again is in the other installation as it was', full, async () => {
  const killed = run(move(), {});
  while (!existsSync(join(folder, 'state.json'))) await sleep(5);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const before = (await everything(target as Client)).length;
  expect(before).toBeGreaterThan(0);
  const rest = await command(move('--json'), {});
  expect(rest).toMatchObject({ code: 0 });
  const moved = JSON.parse(rest.results);
  expect(moved).toMatchObject({ failed: 0, isComplete: true, counts: { images: { source: size, target: size } } });
  // What the killed one had noted is not sent again.
  expect(moved.counts.images.created + moved.counts.images.skipped).toBeLessThan(size);
  expect(existsSync(join(folder, 'state.json'))).toBe(false);
  expect(await everything(target as Client)).toEqual(await everything(source as Client));
  const repeated = await command(move(), {});
  expect(repeated.code).toBe(0);
  expect(repeated.output).toContain(`0 copied, ${size} were there already; ${size} there, ${size} here`);
});

it('a move says what it cannot do', async () => {
  writeFileSync(join(folder, 'state.json'), JSON.stringify({ of: 'another', cursors: {} }));
  const isOfAnother = { code: 1, output: expect.stringContaining('belongs to another move') };
  expect(await command(move(), {})).toMatchObject(isOfAnother);
  writeFileSync(join(folder, 'state.json'), readFileSync(keyFile('from')));
  expect(await command(move(), {})).toMatchObject(isOfAnother);
  const viewer = await (there as World).client({ role: 'editor' });
  writeFileSync(keyFile('to'), viewer.key);
  const forbidden = await command(move('--state', join(folder, 'other.json')), {});
  expect(forbidden).toMatchObject({ code: 1, output: expect.stringMatching(/403|may not supply/) });
});
