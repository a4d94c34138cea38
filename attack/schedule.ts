import { createRandom } from '../chaos/random.ts';
import type { Random } from '../chaos/random.ts';
import type { Lane, Shape } from './exchange.ts';
import type { Job } from './messages.ts';

/** One exchange of a job. */
export type ScheduledExchange = Readonly<{ number: number; shape: Shape; random: Random }>;

/** Takes the next exchange of a lane; null when there is no other. */
export type NextExchange = (lane: Lane) => ScheduledExchange | null;

/** Spreads the numbers of one seed over all numbers, so that seeds side by side share nothing. */
const spread = 0x9e3779b1;

/**
 * The exchanges of a job in their order: which shape has which number depends on the seed alone.
 *
 * @throws Error when no shape has one of the names.
 */
export function createSchedule(job: Omit<Job, 'target'>, all: readonly Shape[]): NextExchange {
  const chosen = job.names === null ? all : all.filter(({ name }) => job.names?.includes(name));
  if (chosen.length === 0) throw new Error('no shape has such a name');
  const weights = Object.fromEntries(chosen.map(({ name, weight }) => [name, weight]));
  const byName = new Map(chosen.map((shape) => [shape.name, shape]));
  const waiting: Record<Lane, ScheduledExchange[]> = { quick: [], slow: [], heavy: [] };
  const end = job.from + job.count;
  let number = job.from;

  function make(): void {
    const random = createRandom(Math.imul(job.seed, spread) + number);
    const name = random.pick(weights); // Also in turn: what the shape draws after it is the same then.
    const shape = job.inOrder ? chosen[number % chosen.length] : byName.get(name);
    if (shape !== undefined) waiting[shape.lane].push({ number, shape, random });
    number += 1;
  }

  return (lane) => {
    while (waiting[lane].length === 0 && number < end) make();
    return waiting[lane].shift() ?? null;
  };
}
