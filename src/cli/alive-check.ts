import { SetupError } from '../lib/errors.ts';
import { hasLiveWorker } from '../operations/index.ts';
import type { Session } from './session.ts';

/** After this many milliseconds without progress, checks whether a worker is still running. */
const silenceMs = 15_000;

/** Told again and again how much is done. @throws SetupError if that stays the same because no worker is running */
type AliveCheck = (done: number) => Promise<void>;

/** Returns a check for commands that wait for the service, which may end meanwhile. */
export function createAliveCheck({ database }: Session['backing'], silence = silenceMs): AliveCheck {
  let [last, since] = [-1, performance.now()];
  return async (done) => {
    const now = performance.now();
    if (done !== last) [last, since] = [done, now];
    if (now - since < silence) return;
    since = now;
    if (await hasLiveWorker(database)) return;
    throw new SetupError('The service has ended. What is left continues when it runs again, or repeat the command.');
  };
}
