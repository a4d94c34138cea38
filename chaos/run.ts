import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { openDatabase } from '../src/backing/index.ts';
import type { Database } from '../src/backing/index.ts';
import { packageRoot } from '../src/lib/package-root.ts';
import { createLogger } from '../src/observability/logger.ts';
import { createApiKey, createTenant as makeTenant } from '../src/tenants/index.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import { openStack } from './stack.ts';
import type { Stack, StackOptions, Victim } from './stack.ts';
import { createTenant } from './tenant.ts';
import type { Tenant } from './tenant.ts';
import { replayHistory, witnessRecords } from './replay.ts';
import { clip, kinds, pictureOf, widths } from './writes.ts';

export type ChaosOptions = StackOptions &
  Readonly<{
    kills: number;
    seed: number;
    tenants: number;
    /** Elements of the largest batch. */
    maxSize: number;
    /** Called after each kill. */
    onKill?: (count: number, victim: Victim) => void;
    /** Least and most milliseconds between everything being there and the next kill. */
    pauseMs?: readonly [min: number, max: number];
    /** What else happens to the processes until the last kill; `stop` fires after it. */
    beside?: (stack: Stack, stop: AbortSignal) => Promise<void>;
  }>;

export type Verdict = Readonly<{
  /** How often each was killed. */
  kills: Readonly<Partial<Record<Victim, number>>>;
  operations: number;
  elements: number;
  aborted: number;
  /** Operations that undid others. */
  undone: number;
  /** Writes whose answer was lost and that had not been accepted. */
  lost: number;
  /** How long the last operation took to finish after the last kill. */
  settledSeconds: number;
  faults: readonly string[];
}>;

/** How long everything may take to finish once nothing is killed any more. */
const settleMs = 180_000;

/** Operations of each tenant that end before anything is killed, so that there is something to undo. */
const firstWrites = 6;

/** Elements of the largest batch of videos. */
const maxVideos = 60;

/** Writes while processes are killed; afterwards says whether the catalog is what it must be. */
export async function runChaos(options: ChaosOptions): Promise<Verdict> {
  const random = createRandom(options.seed);
  const stack = await openStack(random, options);
  try {
    await makePictures(stack.media);
    await stack.whole();
    const tenants = await makeTenants(stack, options);
    await withDatabase(stack, ({ pool }) => witnessRecords(pool));
    const stop = new AbortController();
    const writing = Promise.all(tenants.map((tenant) => tenant.write(stop.signal)));
    const beside = options.beside?.(stack, stop.signal);
    for (const tenant of tenants) while ((await tenant.count(true)) < firstWrites) await sleep(100);
    const kills = await killAtRandom(stack, random, options);
    const lastKill = Date.now();
    stop.abort();
    await Promise.all([writing, beside]);
    const isSettled = await settle(tenants);
    const settledSeconds = (Date.now() - lastKill) / 1000;
    const findings = await Promise.all(tenants.map((tenant) => tenant.check()));
    const history = await withDatabase(stack, ({ pool }) => replayHistory(pool));
    const sum = (of: (finding: (typeof findings)[number]) => number) =>
      findings.reduce((total, each) => total + of(each), 0);
    return {
      kills,
      operations: sum(({ operations }) => operations),
      elements: sum(({ elements }) => elements),
      aborted: sum(({ aborted }) => aborted),
      undone: sum(({ undone }) => undone),
      lost: sum(({ lost }) => lost),
      settledSeconds,
      faults: [
        ...(isSettled ? [] : [`not everything had finished ${settleMs / 1000} s after the last kill`]),
        ...findings.flatMap(({ faults }) => faults),
        ...history.map((fault) => `history: ${fault}`),
        ...stack.complaints(),
      ],
    };
  } finally {
    await stack.close();
  }
}

async function makePictures(media: string): Promise<void> {
  for (const width of widths) {
    const background = { r: width * 9, g: 90, b: 200 - width };
    await sharp({ create: { width, height: 6, channels: 3, background } }).toFile(join(media, pictureOf(width)));
  }
  for (const { flawedFiles } of Object.values(kinds)) {
    writeFileSync(join(media, flawedFiles.unsupported_media), 'neither picture nor video');
  }
  copyFileSync(join(packageRoot, 'examples', 'videos', 'nagasaki-pan.mp4'), join(media, clip.name));
}

async function withDatabase<T>(stack: Stack, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url: stack.databaseUrl, logger: createLogger('silent') });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Every third tenant writes videos, in smaller batches: each is read anew. */
function makeTenants(stack: Stack, { tenants, seed, maxSize }: ChaosOptions): Promise<Tenant[]> {
  return withDatabase(stack, async (database) => {
    const made: Tenant[] = [];
    for (let i = 0; i < tenants; i += 1) {
      const name = `chaos-${i}`;
      const { id } = await makeTenant(database, name);
      const { secret } = await createApiKey(database, { tenantId: id, name, role: 'admin' });
      const random = createRandom(seed * 1000 + i);
      const own =
        i % 3 === 2 ? { kind: kinds.video, maxSize: Math.min(maxSize, maxVideos) } : { kind: kinds.image, maxSize };
      made.push(createTenant({ name, key: secret, random, urls: stack.urls, ...own }));
    }
    return made;
  });
}

async function killAtRandom(
  stack: Stack,
  random: Random,
  { kills, onKill, pauseMs = [50, 1200] }: ChaosOptions,
): Promise<Partial<Record<Victim, number>>> {
  const counts: Partial<Record<Victim, number>> = {};
  for (let i = 0; i < kills; i += 1) {
    await stack.whole();
    await sleep(random.between(...pauseMs));
    const victim = await stack.killAny();
    counts[victim] = (counts[victim] ?? 0) + 1;
    onKill?.(i + 1, victim);
  }
  return counts;
}

async function settle(tenants: readonly Tenant[]): Promise<boolean> {
  const deadline = Date.now() + settleMs;
  for (const tenant of tenants) {
    while ((await tenant.count(false)) > 0) {
      if (Date.now() > deadline) return false;
      await sleep(100);
    }
  }
  return true;
}
