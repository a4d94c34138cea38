/** Pause after a fault, and where the work was asked for just when it ended. */
const pauseMs = 100;

/** Work that is done again for as long as it is asked for, never twice at a time. */
export type Repeater = Readonly<{
  ask: () => void;
  /** Does nothing more; resolves when what is under way has ended. */
  stop: () => Promise<void>;
}>;

/** `work` tells whether there is more to do at once. */
export function createRepeater(work: () => Promise<boolean>, onError: (error: unknown) => void): Repeater {
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isStopped = false;

  async function run(): Promise<void> {
    while (isAsked && !isStopped) {
      isAsked = false;
      if (await work()) isAsked = true;
    }
  }

  function ask(): void {
    isAsked = true;
    if (isStopped) return;
    running ??= run()
      .catch(onError)
      .finally(() => {
        running = null;
        if (isAsked && !isStopped) setTimeout(ask, pauseMs).unref();
      });
  }

  return {
    ask,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
