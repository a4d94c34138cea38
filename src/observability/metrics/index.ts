export { watchLoop, workedOn, workOn } from './loop.ts';
export { addSource, counter, timing, watchProcess, writeMetrics } from './registry.ts';
export type { Readings } from './registry.ts';
export { observeRequest, unmatched } from './requests.ts';
export { metricTable } from './table.ts';
