import { timing, workedOn, workOn } from '../../observability/metrics/index.ts';

/** Labels for event loop time at the start and the end of a stage. */
const works = { read: { route: 'operations: read' }, store: { route: 'operations: store' } } as const;

/** Runs the work of a stage and records its duration if it succeeds. */
export async function measured<T>(stage: 'read' | 'store', work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  workOn(works[stage]);
  const result = await work();
  workedOn(works[stage]);
  timing('operation_stage_seconds', { stage }).observeSince(began);
  return result;
}
