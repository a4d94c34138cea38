export { followMatches } from './follow.ts';
export { standingLimits } from './limits.ts';
export { saveAndWatch, setWatching } from './watch.ts';
export { findWatched } from './watched.ts';
export { startWatcher } from './watcher.ts';
