import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import process from 'node:process';
import { ElementError } from '../../errors.ts';
import { Look } from './look.ts';
import type { Order, Report } from './messages.ts';
import { Parcel } from './parcel.ts';
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

/** Small pictures are decoded faster than they are told of one by one; nobody waits for what is looked at alone. */
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

async function analyse({ id, bytes, question }: Extract<Order, { type: 'analyse' }>): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  atWork.set(id, controller);
  const look = new Look(threads, { ...question, signal, tessdataDir: tessdataDir ?? null });
  const report = await look
    .analyse(bytes)
    .then((analysis) => ({ type: 'analysis', id, analysis }) as const, faultOf(id));
  atWork.delete(id);
  if (!signal.aborted) say(report);
}

const faultOf = (id: number) => (error: unknown) =>
  ({ type: 'fault', id, code: error instanceof ElementError ? error.code : null, message: messageOf(error) }) as const;

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
