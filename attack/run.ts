import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAttacker, startQuiet } from './helpers.ts';
import { watchMemory } from './memory.ts';
import { openNotes } from './notes.ts';
import { measureAlone, playEach, playMixed, playSieges, playSolos } from './phases.ts';
import type { AttackOptions, Parts } from './phases.ts';
import { prepareTarget, warmUp } from './prepare.ts';
import type { Report } from './report.ts';
import { startService } from './service.ts';
import type { Death } from './service.ts';
import { rowNames, shapes } from './shapes/index.ts';
import { mergeTallies } from './tally.ts';
import { makeWorld } from './world.ts';

/** Beyond this the service is ended and counts as dead: the machine is needed by others. */
const deadlyMiB = 6_000;
const guardMs = 200;

/** Played when a process of the service ended, by name and number. */
type Suspects = Map<Death, readonly string[]>;

/**
 * Attacks a service that it starts: traffic goes to this machine alone. Everything is stopped and removed in the end.
 *
 * @throws Error when the service cannot be started or prepared, and when the attack is stopped early.
 */
export async function runAttack(options: AttackOptions): Promise<Report> {
  options.say('preparing two tenants');
  const world = await makeWorld(options);
  const notes = openNotes(join(world.folder, 'notes'));
  const closers: (() => unknown)[] = [() => world.remove(), () => notes.close()];
  try {
    const service = await startService({ environment: world.environment, notes: notes.path });
    closers.push(() => service.stop());
    const memory = watchMemory(() => service.pid());
    closers.push(() => memory.stop());
    const attacker = startAttacker();
    closers.push(() => attacker.stop());
    const quiet = startQuiet();
    closers.push(() => quiet.stop());
    const target = await prepareTarget(world, service);
    const parts: Parts = { options, world, service, notes, memory, attacker, quiet, target };
    const suspects: Suspects = new Map();
    const guard = setInterval(() => void watchOver(parts, suspects), guardMs);
    closers.push(() => clearInterval(guard));
    return await Promise.race([attackWith(parts, suspects), whenStopped(options.stop)]);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

function whenStopped(stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Error('The attack was stopped before its end.'));
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
  });
}

/** Ends a service that takes the whole machine, and notes what was played when one ended. */
async function watchOver({ service, memory, attacker }: Parts, suspects: Suspects): Promise<void> {
  if (memory.now() > deadlyMiB) {
    service.kill(`ended by the tool, for it took more than ${deadlyMiB} MiB`, memory.family());
  }
  const death = service.deaths.find((each) => !suspects.has(each));
  if (death === undefined) return;
  suspects.set(death, []);
  suspects.set(death, await attacker.recent());
}

async function attackWith(parts: Parts, suspects: Suspects): Promise<Report> {
  const { options, notes, memory, service, target } = parts;
  const alone = await measureAlone(parts);
  if (options.warmsUp) await warmUp(target);
  await sleep(1_000);
  const restMiB = memory.now();
  memory.takePeak();
  const solos = await playSolos(parts);
  const sieges = await playSieges(parts);
  const each = options.hasSolos || options.sieges.length > 0 ? [] : await playEach(parts, options.names ?? rowNames);
  notes.takeBlocks();
  const { tallies, mixed } = await playMixed(parts);
  const mixedBlockMs = Math.max(0, ...notes.takeBlocks().map(({ ms }) => ms));
  await sleep(2 * guardMs);
  await service.ready();
  return {
    seed: options.seed,
    numShapes: shapes.length,
    exchanges: tallies.reduce((sum, { count, refused }) => sum + count - refused, 0),
    wanted: options.count,
    deaths: service.deaths.map((death) => ({ ...death, recent: suspects.get(death) ?? [] })),
    restarts: Math.max(service.deaths.length, notes.answering().length - 1),
    restMiB,
    worstMiB: memory.takePeak(),
    mixedBlockMs,
    alone,
    mixed,
    sieges,
    solos,
    tallies: mergeTallies([tallies, each, solos.map(({ tally }) => tally)]),
  };
}
