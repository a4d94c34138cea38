import type { Endpoint, Method } from '../endpoints/endpoint.ts';
import { decodePercent } from '../compat/urlencoded.ts';
import { groupBy } from '../../src/lib/group-by.ts';

/** What a path leads to. A fixed path hides a path with parameters that would also match. */
export type EndpointRoute = Readonly<{
  /** The endpoint for a method. */
  find(method: string): Readonly<{ endpoint: Endpoint; values: Readonly<Record<string, string>> }> | null;
  /** Every method of the path, for `Allow`. */
  allow(): string;
  /** The literal segment that stands where other paths have an id; null for every other path. */
  reserved: string | null;
}>;

type Match = Readonly<{ values: Readonly<Record<string, string>>; endpoints: ReadonlyMap<Method, Endpoint> }>;
type Entry = Readonly<{ segments: readonly string[]; endpoints: Map<Method, Endpoint> }>;

type Router = (target: string) => EndpointRoute | null;

/**
 * Matches paths segment by segment, so that an encoded slash stays in its segment. Trailing slashes make no
 * difference, except where a path of the table ends in one.
 */
export function createRouter(table: readonly Endpoint[]): Router {
  const entries = groupByPath(table);

  function matchesOf(segments: readonly string[]): Match[] {
    return (entries.get(keyOf(segments)) ?? []).flatMap(({ segments: pattern, endpoints }) => {
      const values = match(pattern, segments);
      return values === null ? [] : [{ values, endpoints }];
    });
  }

  return (target) => {
    const segments = segmentsOf(target);
    let matches = matchesOf(segments);
    if (matches.length === 0) matches = matchesOf(otherSpelling(segments));
    const [match, hidden] = matches;
    if (match === undefined) return null;
    const { endpoints, values } = match;
    return {
      allow: () => allowOf([...endpoints.keys()]),
      find(method) {
        const endpoint = endpoints.get(method as Method);
        return endpoint === undefined ? null : { endpoint, values };
      },
      reserved: hidden === undefined ? null : (Object.values(hidden.values)[0] ?? null),
    };
  };
}

/** The path without its trailing slashes, or with one added. */
function otherSpelling(segments: readonly string[]): readonly string[] {
  return segments.at(-1) === ''
    ? segments.slice(0, segments.findLastIndex((part) => part !== '') + 1)
    : [...segments, ''];
}

/** The key shared by all paths that could match the same request: the number of segments and the first segment. */
function keyOf(segments: readonly string[]): string {
  return `${segments.length} ${segments[1] ?? ''}`;
}

function groupByPath(table: readonly Endpoint[]): ReadonlyMap<string, readonly Entry[]> {
  const byPath = new Map<string, Entry>();
  for (const endpoint of table) {
    const entry = byPath.get(endpoint.path) ?? { segments: endpoint.path.split('/'), endpoints: new Map() };
    entry.endpoints.set(endpoint.method, endpoint);
    byPath.set(endpoint.path, entry);
  }
  const parameters = ({ segments }: Entry) => segments.filter(isParameter).length;
  const fixedFirst = [...byPath.values()].toSorted((a, b) => parameters(a) - parameters(b));
  return groupBy(fixedFirst, ({ segments }) => keyOf(segments));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const values: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (isParameter(part)) {
      if (segment === '') return null;
      values[part.slice(1, -1)] = segment;
    } else if (part !== segment) {
      return null;
    }
  }
  return values;
}

function allowOf(methods: readonly Method[]): string {
  const all: string[] = [...methods, 'OPTIONS'];
  if (methods.includes('GET')) all.push('HEAD');
  return [...new Set(all)].toSorted().join(', ');
}

/** The decoded segments of a path. */
function segmentsOf(target: string): readonly string[] {
  const end = target.indexOf('?');
  return (end === -1 ? target : target.slice(0, end)).split('/').map(decodePercent);
}
