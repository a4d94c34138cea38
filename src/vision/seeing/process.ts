import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import process from 'node:process';
import { ElementError } from '../../errors.ts';
import type { Analysis, PictureFile, Question } from '../analysis.ts';
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

const [count, tessdataDir] = process.argv.slice(2);
const threads = new Threads(Number(count));
const atWork = new Map<number, AbortController>();

function say(report: Report): void {
  if (process.connected) process.send?.(report);
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

async function look(request: PictureFile & Question, signal: AbortSignal): Promise<Analysis> {
  const bytes = 'bytes' in request ? request.bytes : await readFile(request.path, { signal });
  return new Look(threads, { ...request, signal, tessdataDir: tessdataDir ?? null }).analyse(bytes);
}

async function analyse({ id, request }: Extract<Order, { type: 'analyse' }>): Promise<void> {
  const controller = new AbortController();
  atWork.set(id, controller);
  try {
    say({ type: 'analysis', id, analysis: await look(request, controller.signal) });
  } catch (error) {
    if (controller.signal.aborted) return;
    say({ type: 'fault', id, code: error instanceof ElementError ? error.code : null, message: messageOf(error) });
  } finally {
    atWork.delete(id);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

process.on('message', (order: Order) => {
  if (order.type === 'abort') atWork.get(order.id)?.abort(new Error('aborted'));
  else void analyse(order);
});
process.on('disconnect', () => process.exit());

giveWay();
say({ type: 'ready' });
