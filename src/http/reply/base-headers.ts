import { randomUUID } from 'node:crypto';

/** Headers of every reply, including refusals. */
export const fixedHeaders = ['API-Version', '1.0.0', 'X-Content-Type-Options', 'nosniff'] as const;

/** Request ids that are accepted from clients; others are replaced. */
const acceptable = /^[\w.:-]{1,64}$/;

/** The id of a request in its reply and in the log: the client's own id, or a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
