import { timing, workedOn, workOn } from '../../observability/metrics/index.ts';

/** Labels for the event loop time of each stage. */
const works = { read: { route: 'operations: read' }, store: { route: 'operations: store' } } as const;

/** Runs the work of a stage, and records how long it took if it succeeds. */
export async function measured<T>(stage: 'read' | 'store', work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  workOn(works[stage]);
  const result = await work();
  workedOn(works[stage]);
  timing('operation_stage_seconds', { stage }).observeSince(began);
  return result;
}
