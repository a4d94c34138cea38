import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runChaos } from '../chaos/run.ts';
import type { Verdict } from '../chaos/run.ts';
import type { Stack } from '../chaos/stack.ts';
import { pictureOf } from '../chaos/writes.ts';
import { openDatabase } from '../src/backing/index.ts';
import { createLogger } from '../src/observability/logger.ts';
import { createTenant } from '../src/tenants/index.ts';
import type { Target } from './exchange.ts';
import { startAttacker } from './helpers.ts';
import type { Tally } from './messages.ts';
import { mergeTallies } from './tally.ts';
import { makeKeys, writeHugePicture } from './world.ts';

/** Exchanges sent to one API process before the next is chosen: processes are killed and come back elsewhere. */
const spell = { count: 300, ms: 4_000 } as const;
const lanes = { quick: 8, slow: 20, heavy: 1 } as const;
const apis = 2;
/** Between kills, so that there is somebody to attack. */
const pauseMs = [1_000, 6_000] as const;

export type BesideChaos = Readonly<{ verdict: Verdict; tallies: Tally[] }>;

/**
 * Attacks the processes of `npm run chaos` while they are killed at random. A crash by the attack is a fault of the
 * verdict, and so is a write that was lost or repeated.
 */
export async function attackBesideChaos(
  options: Readonly<{ seed: number; kills: number; say(line: string): void }>,
): Promise<BesideChaos> {
  const { seed, kills, say } = options;
  const attackers = Array.from({ length: apis }, () => startAttacker());
  const lists: Tally[][] = [];

  /** Sends spells to whatever process stands in this place. */
  async function attack(place: number, stack: Stack, target: Omit<Target, 'port'>, stop: AbortSignal): Promise<void> {
    for (let from = place * 1e6; !stop.aborted; from += spell.count) {
      const port = portOf(stack.urls()[place]);
      if (port === null) await sleep(100);
      else {
        const job = { target: { ...target, port }, seed, names: null, inOrder: false, isTwisted: true };
        lists.push((await attackers[place]?.play({ ...job, from, ...spell, lanes })) ?? []);
      }
    }
  }

  try {
    const verdict = await runChaos({
      seed,
      kills,
      tenants: 3,
      apis,
      pauseMs,
      workers: 2,
      maxSize: 600,
      hasRedis: false,
      onKill: (count, victim) => count % 10 === 0 && say(`${count} kills, the last of ${victim}`),
      async beside(stack, stop) {
        const target = await makeTarget(stack);
        await Promise.all(attackers.map((_, place) => attack(place, stack, target, stop)));
      },
    });
    return { verdict, tallies: mergeTallies(lists) };
  } finally {
    for (const attacker of attackers) attacker.stop();
  }
}

async function makeTarget({ databaseUrl, media }: Stack): Promise<Omit<Target, 'port'>> {
  const database = openDatabase({ url: databaseUrl, logger: createLogger('silent') });
  try {
    const { id } = await createTenant(database, 'attacker');
    const pictures = { small: join(media, pictureOf(8)), huge: writeHugePicture(media) };
    return { host: '127.0.0.1', keys: await makeKeys(database, id), environmentKey: null, operation: '1', pictures };
  } finally {
    await database.close();
  }
}

function portOf(url: string | undefined): number | null {
  return url === undefined ? null : Number(new URL(url).port);
}
