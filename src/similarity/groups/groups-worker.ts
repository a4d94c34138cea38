import { parentPort, workerData } from 'node:worker_threads';
import type { DuplicateCandidates, GroupOptions } from './candidates.ts';
import { findGroups } from './groups.ts';
import type { Groups } from './groups.ts';

/** Start data of a thread. */
export type GroupsData = Readonly<{ candidates: DuplicateCandidates; options: Omit<GroupOptions, 'onStep'> }>;
/** Its messages: the number of steps done, or the result. */
export type GroupsReply = Readonly<{ done: number } | { groups: Groups }>;

const { candidates, options } = workerData as GroupsData;
const say = (reply: GroupsReply) => parentPort?.postMessage(reply, []);

say({ groups: findGroups(candidates, { ...options, onStep: (done) => say({ done }) }) });
