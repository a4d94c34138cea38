import { setMaxListeners } from 'node:events';
import process from 'node:process';
import { ElementError } from '../../lib/errors.ts';
import { BatchBuffer } from '../../lib/batch-buffer.ts';
import { lowerPriority } from '../../lib/lower-priority.ts';
import { convertPicture } from '../convert.ts';
import { decodeRaster } from '../decode.ts';
import { limitWork } from './limit-work.ts';
import { AnalysisRun } from './analysis-run.ts';
import { BackgroundPriority } from './background-priority.ts';
import type { PictureJob, AnalysisOrder, PictureProcessSettings, AnalysisReport, JobOutcome } from './messages.ts';
import { Threads } from './threads.ts';

/**
 * An analysis process. It decodes pictures with native code and analyzes them in threads, so that a fault of either ends
 * nothing else. Its only argument is its settings as JSON.
 */

const settings = JSON.parse(process.argv[2] ?? '') as PictureProcessSettings;
const threads = new Threads(settings.threads, settings);
const atWork = new Map<number, AbortController>();
let decoding = 0;

/**
 * Each message wakes the other process, which costs as much as decoding a small picture, so reports are sent in batches; a
 * single one is sent at once.
 */
const reports = new BatchBuffer<AnalysisReport>({ items: 8, ms: 2 }, (some) => {
  if (process.connected) process.send?.(some);
});

function say(report: AnalysisReport): void {
  reports.add(report, atWork.size === 0);
}

type Order = AnalysisOrder<PictureJob>;
type Work = Extract<Order, { type: 'work' }>;

async function work({ id, job }: Work): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal); // Every analyzer listens.
  atWork.set(id, controller);
  const report = await attempt(id, job, signal);
  atWork.delete(id); // Before the report, because the report of the last one in progress is sent immediately.
  if (!signal.aborted) say(report);
}

async function attempt(id: number, job: PictureJob, signal: AbortSignal): Promise<AnalysisReport> {
  try {
    return { type: 'result', id, result: await run(id, job, signal) };
  } catch (error) {
    return { type: 'fault', id, code: error instanceof ElementError ? error.code : null, message: messageOf(error) };
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function run(id: number, job: PictureJob, signal: AbortSignal): Promise<JobOutcome> {
  const { tessdataDir } = settings;
  switch (job.name) {
    case 'decode':
      return limited(id, () => decodeRaster(job.bytes, job.longSide));
    case 'convert':
      return limited(id, () => convertPicture(job.bytes, job.conversion));
    case 'analyze': {
      const decode = (bytes: Buffer, side: number) => limited(id, () => decodeRaster(bytes, side));
      return new AnalysisRun(threads, { ...job.scope, signal, tessdataDir, decode }).analyze(job);
    }
  }
}

/** Runs native code. Only ending the process can stop it, so the process ends if it takes too long. */
async function limited<T>(id: number, native: () => Promise<T>): Promise<T> {
  decoding += 1;
  const limit = limitWork(settings.decodeSeconds, () => decoding + threads.running);
  limit.signal.addEventListener('abort', () => endOver(id));
  try {
    return await native();
  } finally {
    limit.end();
    decoding -= 1;
  }
}

/** Kills this process, because an orderly exit waits for the decoder. */
function endOver(id: number): void {
  const message = `decoding the picture took more than ${settings.decodeSeconds} s`;
  const end = () => process.kill(process.pid, 'SIGKILL');
  if (process.connected) process.send?.([{ type: 'stuck', id, message }] satisfies AnalysisReport[], end);
  else end();
}

process.on('message', (orders: readonly Order[]) => {
  for (const order of orders) {
    if (order.type === 'give way') {
      threads.giveWay(order.isOn);
      priority.giveWay(order.isOn);
    } else if (order.type === 'abort') atWork.get(order.id)?.abort(new Error('aborted'));
    else void work(order);
  }
});
// The service has ended. An orderly exit would wait for the decoder, which may hang.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

lowerPriority(settings.niceness);
const priority = new BackgroundPriority({ usual: settings.niceness });
say({ type: 'ready' });
