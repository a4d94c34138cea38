export { engineReasons, openSearchEngine } from './engine.ts';
export type { AnsweredBy, EngineReason, Route, SearchEngine } from './engine.ts';
export { startFeeder } from './feeder.ts';
export type { Feeder } from './feeder.ts';
export { askForRebuild, engineLag, isRebuilding } from './lag.ts';
export type { EngineLag } from './lag.ts';
export { forgetChanges, noteChanges } from './outbox.ts';
