import { allMethods } from '../request/routes.ts';
import type { AllowOf } from '../request/routes.ts';

/** Reply headers that scripts of other origins may read, besides the safelisted ones. */
const exposed = [
  'API-Version',
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Search-Backend',
  'Search-Engine',
  'Src-Path',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'WWW-Authenticate',
  'Warning',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');

/** Request headers that such scripts may send. */
const accepted = [
  'Accept',
  'API-Key',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Prefer',
  'Range',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Request-Id',
].join(', ');

/** How long a browser may cache the answer to a preflight; the longest time that all browsers honor. */
const rememberSeconds = 7_200;

/**
 * Which other origins may use the service from a browser. Keys are sent in their own header, so
 * `Access-Control-Allow-Credentials` is never sent, with `*` or without.
 */
export type Cors = Readonly<{
  /** Whether replies differ by origin. */
  varies: boolean;
  /** Headers of a reply to this origin, alternating names and values. */
  headersFor(origin: string | undefined): readonly string[];
  /** Additional headers of the answer to a preflight; null if the origin is not allowed. */
  preflight(origin: string | undefined, target: string): readonly string[] | null;
}>;

/** Returns null if no origin is configured; none of these headers is sent then. */
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
      // Unknown paths are allowed, too, so that the script gets the 404 instead of a CORS error.
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
