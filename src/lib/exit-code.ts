import { constants } from 'node:os';

/** The exit code by which a shell reports that a signal has ended a process. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
