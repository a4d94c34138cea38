import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import process from 'node:process';
import { ElementError } from '../../errors.ts';
import { Parcel } from '../../parcel.ts';
import { Look } from './look.ts';
import type { Order, Report } from './messages.ts';
import { Threads } from './threads.ts';

/**
 * The process that looks at pictures: they are decoded by native code and analysed in threads where a
 * fault of either ends nothing else, and at a priority that leaves requests the processors whenever
 * they want them. `process.js THREADS [TESSDATA_DIR]`.
 */

/** A tenth of a processor is left to it where requests want all of it: somebody may wait for a picture, too. */
const niceness = 10;

/** A decoding that goes on for so long after nobody waits for it never ends, and holds one of few threads. */
const stuckMs = 45_000;
const stuckExitCode = 71;

const [count, tessdataDir] = process.argv.slice(2);
const threads = new Threads(Number(count));
const atWork = new Map<number, AbortController>();

/** A message wakes the other process, which for a small picture costs as much as decoding it; what is looked at alone waits for none. */
const reports = new Parcel<Report>({ items: 8, ms: 2 }, (some) => {
  if (process.connected) process.send?.(some);
});

function say(report: Report): void {
  reports.add(report, atWork.size === 0);
}

function giveWay(): void {
  try {
    setPriority(niceness);
    // Linux may share the processors out among sessions before it looks at their processes; this one has its own.
    if (process.platform === 'linux') writeFileSync('/proc/self/autogroup', String(niceness));
  } catch {
    // Not every system lets it; pictures are looked at all the same.
  }
}

type Analyse = Extract<Order, { type: 'analyse' }>;

async function analyse(order: Analyse): Promise<void> {
  const { id } = order;
  const controller = new AbortController();
  const { signal } = controller;
  atWork.set(id, controller);
  const report = await look(order, signal);
  atWork.delete(id); // Before it is told of: the last one at work is told of at once.
  if (!signal.aborted) say(report);
}

async function look({ id, bytes, question }: Analyse, signal: AbortSignal): Promise<Report> {
  try {
    const looking = new Look(threads, { ...question, signal, tessdataDir: tessdataDir ?? null });
    return { type: 'analysis', id, analysis: await looking.analyse(bytes) };
  } catch (error) {
    return { type: 'fault', id, code: error instanceof ElementError ? error.code : null, message: messageOf(error) };
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function abort(id: number): void {
  atWork.get(id)?.abort(new Error('aborted'));
  setTimeout(() => {
    if (atWork.has(id)) process.exit(stuckExitCode);
  }, stuckMs).unref();
}

process.on('message', (orders: readonly Order[]) => {
  for (const order of orders) {
    if (order.type === 'abort') abort(order.id);
    else void analyse(order);
  }
});
process.on('disconnect', () => process.exit());

giveWay();
say({ type: 'ready' });
