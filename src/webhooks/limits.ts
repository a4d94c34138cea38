/** Limits of a tenant's endpoints. */
export const webhookLimits = {
  /** Endpoints of one tenant. */
  endpoints: 50,
  /** Characters of an address. */
  urlCharacters: 2000,
  /** Names of formulas that one endpoint lists. */
  formulas: 100,
  /** Waiting messages of one endpoint; further notifications stay in the log. */
  pending: 10_000,
  /** Messages of one endpoint that are kept after they were given up on. */
  dead: 1000,
  /** Longest time for which a former secret keeps signing. */
  overlapSeconds: 7 * 86_400,
  /** Notifications in one digest; the rest go into the next one. */
  digest: 500,
  /** Longest time between two digests. */
  digestMinutes: 1440,
  /** Dead messages that one request replays. */
  replayed: 1000,
} as const;

/** Notifications that one statement turns into messages. */
export const readBatch = 500;

/** Limits of one attempt. `emailMs` limits a whole email: a mail server replies several times. */
export const attemptLimits = { connectMs: 5_000, totalMs: 15_000, emailMs: 25_000, answerBytes: 64 * 1024 } as const;

/** How long the worker that sends a message holds its claim: longer than any attempt takes. */
export const claimSeconds = 30;

/** Maximum number of concurrent attempts: per process, and within that per tenant and per endpoint. */
export const parallelAttempts = { capacity: 64, perTenant: 8, perEndpoint: 4 } as const;

/** Seconds until the next attempt after each failure, about a day in total; after the last one the message is dead. */
export const retrySeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800] as const;

/** The longest `Retry-After` that is honored, in seconds. */
export const maxRetryAfter = 3600;

/** Seconds for which an endpoint is paused after this many consecutive failures. */
export function pauseSeconds(failures: number): number {
  return failures < 3 ? 0 : Math.min(5 * 2 ** (failures - 3), 300);
}

/** An endpoint that has accepted nothing for this long is switched off. */
export const switchOffHours = 48;

/** How long dead messages are kept. */
export const keepDeadDays = 30;
