import type { Logger } from '../../observability/logger.ts';

/** How often a database that is away is asked whether it is back. */
const askMs = 1_000;

/** Has the log say once that the database is away, and once that it is back, however many it did not serve meanwhile. */
export type Outage = Readonly<{
  /** It did not serve someone, for this reason. */
  meet(error: unknown): void;
  /** Asks no more. */
  end(): void;
}>;

/** It is back when it answers and has left nobody unserved since it was asked before: a full disk reads, and does not write. */
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
