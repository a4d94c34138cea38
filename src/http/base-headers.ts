import { randomUUID } from 'node:crypto';

/** Headers that every reply carries, however it comes about. */
export const fixedHeaders = ['API-Version', '1.0.0', 'X-Content-Type-Options', 'nosniff'] as const;

/** Ids of callers that are taken over; any other is replaced. */
const acceptable = /^[\w.:-]{1,64}$/;

/** The id under which a request is answered and logged: the caller's own, or a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
