import { Worker } from 'node:worker_threads';
import { builtFile } from '../../lib/package-root.ts';
import type { DuplicateCandidates, GroupOptions } from './candidates.ts';
import type { GroupsData, GroupsReply } from './groups-worker.ts';
import type { Groups } from './groups.ts';

/** Threads run compiled files, no matter how this one was started. */
const workerFile = builtFile('similarity/groups/groups-worker.js');

/** Runs `findGroups` in a thread of its own, which ends when the signal fires. @throws the signal's reason. */
export function findGroupsInThread(
  candidates: DuplicateCandidates,
  { onStep, ...options }: GroupOptions,
  signal: AbortSignal,
): Promise<Groups> {
  const data: GroupsData = { candidates, options };
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const worker = new Worker(workerFile, { workerData: data });
    const end = () => {
      signal.removeEventListener('abort', abort);
      void worker.terminate();
    };
    const abort = () => {
      end();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort);
    worker.on('message', (reply: GroupsReply) => {
      if ('done' in reply) return onStep?.(reply.done);
      end();
      resolve(reply.groups);
    });
    worker.on('error', (error) => {
      end();
      reject(error);
    });
    worker.on('exit', () => {
      end();
      reject(new Error('The thread that searches for duplicates ended')); // No effect if it had already answered.
    });
  });
}
