import { timing } from '../metrics/index.ts';

/** Does the work of a stage and counts how long it took, where it succeeds. */
export async function measured<T>(stage: 'read' | 'store', work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  timing('operation_stage_seconds', { stage }).observeSince(began);
  return result;
}
