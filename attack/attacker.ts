// A process of its own that plays exchanges: what it costs must not slow down who measures.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../chaos/random.ts';
import { lowerPriority } from '../src/lib/lower-priority.ts';
import { endings, readers, speeds } from './exchange.ts';
import type { Ending, Exchange, Lane, Outcome } from './exchange.ts';
import type { FromAttacker, Job, Tally, ToAttacker } from './messages.ts';
import { defaultMaxMs, play } from './play.ts';
import { shapes } from './shapes/index.ts';
import { addOutcome, createTally } from './tally.ts';
import { createSchedule } from './schedule.ts';
import type { ScheduledExchange } from './schedule.ts';

/** Below the service, which has to share the cores with its clients only here. */
const niceness = 10;
/** Exchanges of one lane may be ahead of the others by so many. */
const maxAhead = 1_000;
/** Exchanges that ended this long ago may still be the cause of what happens. */
const recentMs = 3_000;
const twistedHoldMs = 200;

type Running = { readonly name: string; endedAt: number };

const recent = new Set<Running>();
const send = (message: FromAttacker) => process.send?.(message);

lowerPriority(niceness);
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToAttacker) => {
  if (message.kind === 'play') void run(message.job);
  else send({ kind: 'recent', names: [...new Set([...recent].map(({ name }) => name))] });
});

async function run(job: Job): Promise<void> {
  const tallies = new Map<string, Tally>();
  const began = performance.now();
  const next = createSchedule(job, shapes);
  let done = 0;
  const progress = setInterval(() => send({ kind: 'progress', done }), 500);
  const isOver = () => performance.now() - began > job.ms;

  async function work(lane: Lane): Promise<void> {
    for (let scheduled = next(lane); scheduled !== null; scheduled = next(lane)) {
      while (scheduled.number - job.from > done + maxAhead && !isOver()) await sleep(5);
      if (isOver()) return;
      const isRefused = await act(job, scheduled, tallies);
      done += 1;
      if (isRefused) await sleep(200);
    }
  }
  const workers = (Object.entries(job.lanes) as [Lane, number][]).flatMap(([lane, connections]) =>
    Array.from({ length: connections }, () => work(lane)),
  );
  await Promise.all(workers);
  clearInterval(progress);
  send({ kind: 'progress', done });
  send({ kind: 'finished', tallies: [...tallies.values()] });
}

/** @returns whether nobody was there. */
async function act(
  { target, isTwisted }: Job,
  scheduled: ScheduledExchange,
  tallies: Map<string, Tally>,
): Promise<boolean> {
  const { shape, random, number } = scheduled;
  const replay = isTwisted ? `${shape.name}#${number}` : shape.name;
  const running: Running = { name: replay, endedAt: Infinity };
  for (const each of recent) if (each.endedAt < performance.now() - recentMs) recent.delete(each);
  recent.add(running);
  const outcomes: Outcome[] = [];
  const tally = tallies.get(shape.name) ?? createTally(shape.name);
  tallies.set(shape.name, tally);
  try {
    await shape.act({
      target,
      random,
      async play(exchange) {
        const outcome = await play(target, isTwisted ? twist(exchange, random) : exchange);
        outcomes.push(outcome);
        return outcome;
      },
    });
  } catch (error) {
    tally.numFaults += 1;
    tally.faults.push({ replay, what: `the shape itself failed: ${String(error)}` });
  }
  running.endedAt = performance.now();
  addOutcome(tally, { shape, replay, outcomes });
  return outcomes.some(({ isRefused }) => isRefused);
}

const waitingEndings: readonly Ending[] = ['read', 'half closed'];
const twists = { none: 60, speed: 12, reader: 8, ending: 20 } as const;

/** The same exchange with another speed, reader or ending. */
function twist(exchange: Exchange, random: Random): Exchange {
  const oneOf = <T>(list: readonly T[]): T | undefined => list[random.between(0, list.length - 1)];
  const kind = random.pick(twists);
  if (kind === 'none') return exchange;
  // A time that a shape has of its own is for its own ending; a connection that stays open is refused later.
  const held = { ...exchange, holdMs: twistedHoldMs, maxMs: Math.max(exchange.maxMs ?? 0, defaultMaxMs) };
  if (kind === 'speed') return { ...held, speed: oneOf(speeds) ?? 'at once' };
  if (kind === 'reader') return { ...held, reader: oneOf(readers) ?? 'all' };
  // Where no reply is due, none is waited for.
  const possible = exchange.ending === 'kept' ? endings.filter((ending) => !waitingEndings.includes(ending)) : endings;
  return { ...held, ending: oneOf(possible) ?? 'kept' };
}
