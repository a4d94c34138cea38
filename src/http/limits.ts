type Limit = Readonly<{
  value: number;
  unit: 'bytes' | 'ms' | 'headers' | 'values' | 'connections' | 'requests';
  /** Status of the answer; null if the connection is closed without one. */
  status: number | null;
  meaning: string;
}>;

/** Limits of requests in size and time; docs/limits.md is generated from this table. */
export const limitTable = {
  urlBytes: {
    value: 64 * 1024,
    unit: 'bytes',
    status: 414,
    // A formula of 4096 code points takes 48 KiB if each needs four escaped bytes.
    meaning: 'Path and query, as sent',
  },
  headerBytes: { value: 32 * 1024, unit: 'bytes', status: 431, meaning: 'All headers together' },
  headers: { value: 200, unit: 'headers', status: 431, meaning: 'Number of headers' },
  bodyBytes: { value: 32 * 2 ** 20, unit: 'bytes', status: 413, meaning: 'A JSON body' },
  bodiesBytes: {
    value: 192 * 2 ** 20,
    unit: 'bytes',
    status: 503,
    meaning: 'Memory for all bodies',
  },
  tenantBodiesBytes: { value: 136 * 2 ** 20, unit: 'bytes', status: 429, meaning: 'Memory for bodies of one tenant' },
  keyBodiesBytes: { value: 132 * 2 ** 20, unit: 'bytes', status: 429, meaning: 'Memory for bodies of one API key' },
  bodyWaitMs: {
    value: 10_000,
    unit: 'ms',
    status: 503,
    meaning: 'Timeout of a body that waits for memory, or for a large one of its tenant',
  },
  anonymousBytes: {
    value: 64 * 1024,
    unit: 'bytes',
    status: 401,
    meaning: 'Bytes read of a body without a valid key',
  },
  jsonValues: {
    value: 2_000_000,
    unit: 'values',
    status: 413,
    meaning: 'Values in a JSON body, including lists and objects',
  },
  jsonValueBytes: { value: 2 ** 20, unit: 'bytes', status: 413, meaning: 'One string or number of a JSON body' },
  headersMs: { value: 20_000, unit: 'ms', status: 408, meaning: 'Time of all headers' },
  bodyIdleMs: { value: 30_000, unit: 'ms', status: 408, meaning: 'Idle time of a body' },
  requestMs: { value: 300_000, unit: 'ms', status: 408, meaning: 'Time of a whole request' },
  keepAliveMs: { value: 65_000, unit: 'ms', status: null, meaning: 'A connection without a request' },
  lingerMs: { value: 2_000, unit: 'ms', status: null, meaning: 'Time for a refused request to end' },
  replyIdleMs: {
    value: 30_000,
    unit: 'ms',
    status: null,
    meaning: 'Time without reading any of a reply',
  },
  // As long as a request may take: 9 MB at 0.25 Mbit/s.
  replyMs: {
    value: 300_000,
    unit: 'ms',
    status: null,
    meaning: 'Time until a whole reply is read',
  },
  tenantUnreadBytes: {
    value: 64 * 2 ** 20,
    unit: 'bytes',
    status: 429,
    meaning: 'Unread reply bytes of one tenant, when another request arrives',
  },
  unreadBytes: {
    value: 192 * 2 ** 20,
    unit: 'bytes',
    status: 503,
    meaning: 'Unread reply bytes of all tenants, when a tenant with some sends another request',
  },
  pipelined: {
    value: 100,
    unit: 'requests',
    status: null,
    meaning: 'Pipelined requests on a connection',
  },
  connections: { value: 10_000, unit: 'connections', status: null, meaning: 'Connections at the same time' },
} as const satisfies Record<string, Limit>;

export type Limits = Readonly<Record<keyof typeof limitTable, number>>;

/** The values of the table. */
export const limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, { value }]) => [name, value]),
) as unknown as Limits;
