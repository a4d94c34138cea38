import type { Logger } from '../../observability/logger.ts';

/** How often an unavailable database is checked. */
const askMs = 1_000;

/** Logs once that the database is unavailable, and once that it is back, however many requests fail meanwhile. */
export type Outage = Readonly<{
  /** Reports a request that failed because of it. */
  meet(error: unknown): void;
  /** Stops checking. */
  end(): void;
}>;

/** It is back when it answers and no request has failed since the last check: with a full disk it can read but not write. */
export function createOutage(ask: () => Promise<unknown>, logger: Logger): Outage {
  let away: { since: number; unserved: number; isMet: boolean } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  function askAgain(): void {
    if (hasEnded) return;
    timer = setTimeout(() => void look(), askMs).unref();
  }

  async function look(): Promise<void> {
    if (away === null) return;
    away.isMet = false;
    const answers = await ask().then(
      () => true,
      () => false,
    );
    if (!answers || away.isMet) return askAgain();
    const seconds = Math.round((performance.now() - away.since) / 1000);
    logger.info({ seconds, unserved: away.unserved }, 'the database is back');
    away = null;
  }

  return {
    meet(error) {
      if (away === null) {
        away = { since: performance.now(), unserved: 0, isMet: true };
        logger.warn({ reason: String(error) }, 'the database is away; how often it was missed is told when it is back');
        askAgain();
      }
      away.unserved += 1;
      away.isMet = true;
    },
    end() {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
