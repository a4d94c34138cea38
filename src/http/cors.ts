import { allMethods } from './routes.ts';
import type { AllowOf } from './routes.ts';

/** Headers of replies that scripts of another origin may read beside the few that they always may. */
const exposed = [
  'API-Version',
  'Content-Encoding',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Warning',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');

/** Headers that they may send. */
const accepted = [
  'Accept',
  'API-Key',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Prefer',
  'X-Request-Id',
].join(', ');

/** How long a browser may remember the answer to a preflight; none remembers it for longer than this. */
const rememberSeconds = 7_200;

/**
 * Which other origins may use the service from a browser. Keys travel in a header of their own, so
 * `Access-Control-Allow-Credentials` is never sent, with `*` or without.
 */
export type Cors = Readonly<{
  /** Whether replies differ by origin. */
  varies: boolean;
  /** Headers for a reply to this origin, name and value in turns. */
  headersFor(origin: string | undefined): readonly string[];
  /** What the answer to a preflight has beside those; null when the origin is not allowed. */
  preflight(origin: string | undefined, target: string): readonly string[] | null;
}>;

/** Null when no origin is configured: then nothing of this is ever sent. */
export function createCors(origins: readonly string[], allowOf: AllowOf): Cors | null {
  if (origins.length === 0) return null;
  const isAny = origins.includes('*');
  const known = new Map(
    origins.map((origin) => [
      origin,
      ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed] as const,
    ]),
  );
  const headersFor: Cors['headersFor'] = (origin) =>
    origin === undefined ? [] : (known.get(isAny ? '*' : origin) ?? []);
  return {
    varies: !isAny,
    headersFor,
    preflight(origin, target) {
      if (headersFor(origin).length === 0) return null;
      // A path that leads nowhere is allowed too, so that the script reads the 404 and not a riddle.
      const methods = allowOf(target) ?? allMethods;
      return [
        ...['Allow', methods],
        ...['Access-Control-Allow-Methods', methods, 'Access-Control-Allow-Headers', accepted],
        ...['Access-Control-Max-Age', String(rememberSeconds)],
        ...['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'],
      ];
    },
  };
}
