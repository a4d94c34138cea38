type Limit = Readonly<{
  value: number;
  unit: 'bytes' | 'ms' | 'headers' | 'connections';
  /** Status of the answer; null where the connection is closed without one. */
  status: number | null;
  meaning: string;
}>;

/** What a request may take, in size and in time; docs/http.md is generated from this table. */
export const limitTable = {
  urlBytes: {
    value: 64 * 1024,
    unit: 'bytes',
    status: 414,
    // A formula of 4096 code points is 48 KiB when each needs four escaped bytes.
    meaning: 'Path and query, as sent',
  },
  headerBytes: { value: 32 * 1024, unit: 'bytes', status: 431, meaning: 'All headers together' },
  headers: { value: 200, unit: 'headers', status: 431, meaning: 'Number of headers' },
  bodyBytes: { value: 32 * 2 ** 20, unit: 'bytes', status: 413, meaning: 'A JSON body' },
  headersMs: { value: 20_000, unit: 'ms', status: 408, meaning: 'From the first byte of a request to its last header' },
  bodyIdleMs: { value: 30_000, unit: 'ms', status: 408, meaning: 'Without another byte of a body' },
  requestMs: { value: 300_000, unit: 'ms', status: 408, meaning: 'From the first byte of a request to its last' },
  keepAliveMs: { value: 65_000, unit: 'ms', status: null, meaning: 'A connection without a request' },
  lingerMs: { value: 2_000, unit: 'ms', status: null, meaning: 'A refused sender that goes on sending' },
  connections: { value: 10_000, unit: 'connections', status: null, meaning: 'Open at the same time' },
} as const satisfies Record<string, Limit>;

export type Limits = Readonly<Record<keyof typeof limitTable, number>>;

/** The values of the table. */
export const limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, { value }]) => [name, value]),
) as unknown as Limits;
