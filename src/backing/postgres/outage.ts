import type { Logger } from '../../observability/logger.ts';

/** How often an unavailable database is checked. */
const checkMs = 1_000;

/**
 * Logs once that the database is unavailable, and once that it is back, no matter how many requests fail in between.
 */
export type Outage = Readonly<{
  /** Reports a request that failed because of it. */
  meet(error: unknown): void;
  /** The code of the last failure, if requests are failing now. */
  code(): string | null;
  /** Stops checking. */
  end(): void;
}>;

/**
 * The database counts as back once it answers and no request has failed since the last check: with a full disk, it
 * can read but not write.
 */
export function createOutage(ask: () => Promise<unknown>, logger: Logger): Outage {
  let outage: { since: number; unserved: number; isMet: boolean; code: string | null } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  function checkLater(): void {
    if (hasEnded) return;
    timer = setTimeout(() => void check(), checkMs).unref();
  }

  async function check(): Promise<void> {
    if (outage === null) return;
    const answers = await ask().then(
      () => true,
      () => false,
    );
    if (!answers || outage.isMet) {
      outage.isMet = false;
      return checkLater();
    }
    const seconds = Math.round((performance.now() - outage.since) / 1000);
    logger.info({ seconds, unserved: outage.unserved }, 'the database is back');
    outage = null;
  }

  return {
    meet(error) {
      if (outage === null) {
        outage = { since: performance.now(), unserved: 0, isMet: true, code: null };
        logger.warn(
          { reason: String(error) },
          'the database is unavailable; failed requests are counted until it is back',
        );
        checkLater();
      }
      outage.unserved += 1;
      outage.code = codeOf(error);
      outage.isMet = true;
    },
    code: () => outage?.code ?? null,
    end() {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}

/** The code of an error or of its cause. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, cause } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && !code.startsWith('P') ? code : codeOf(cause);
}
