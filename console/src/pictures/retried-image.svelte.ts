import { patiently } from '../api/patiently.ts';
import { readSession } from '../api/session.ts';

/** Whether the service was away when last asked; all images that fail in the meantime share this request. */
let asking: Promise<boolean> | null = null;

/** Waits until the service answers. @returns whether it was away until then */
function untilThere(): Promise<boolean> {
  let wasAway = false;
  const onWait = (reason: unknown) => {
    if (reason !== null) wasAway = true;
  };
  asking ??= patiently(readSession, { onWait })
    .then(
      () => wasAway,
      () => false,
    )
    .finally(() => (asking = null));
  return asking;
}

/**
 * The state of an image that is loaded again if it failed because the service or the network was away. Create it while its
 * component is created, with which it ends.
 */
export class RetriedImage {
  isBroken = $state(false);
  /** Whether it was loaded again even though the service answered: the service may have come back just before. */
  #isRepeated = false;
  #isStopped = false;

  constructor() {
    $effect(() => {
      const retry = () => (this.isBroken = false);
      addEventListener('online', retry);
      return () => {
        removeEventListener('online', retry);
        this.#isStopped = true;
      };
    });
  }

  /** Handles that it could not be loaded. */
  async fail(): Promise<void> {
    this.isBroken = true;
    const wasAway = await untilThere();
    if (this.#isStopped || (!wasAway && this.#isRepeated)) return;
    this.#isRepeated = !wasAway;
    this.isBroken = false;
  }
}
