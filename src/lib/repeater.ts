/** Pause after a fault, and before rerunning work that was requested just as a run ended. */
const pauseMs = 100;

/** Work that runs as long as it is requested, never concurrently. */
type Repeater = Readonly<{
  /** Requests a run; resolves when the work has ended. Faults go to `onError`. */
  ask: () => Promise<void>;
  /** Stops; resolves when the current run has ended. */
  stop: () => Promise<void>;
}>;

/** `work` returns whether to run again immediately. */
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

  function ask(): Promise<void> {
    isAsked = true;
    if (isStopped) return running ?? Promise.resolve();
    running ??= run()
      .catch(onError)
      .finally(() => {
        running = null;
        if (isAsked && !isStopped) setTimeout(() => void ask(), pauseMs).unref();
      });
    return running;
  }

  return {
    ask,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
