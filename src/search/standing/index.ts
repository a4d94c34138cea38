export { followMatches } from './follow.ts';
export { standingLimits } from './limits.ts';
export { isWatching, saveAndWatch, setWatching } from './watch.ts';
export { startWatcher } from './watcher.ts';
