/** Upper bounds in seconds: of requests, of what a worker does in one go, of blocks of the event loop, of whole operations. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150];
const workBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const blockBounds = [0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30];
const operationBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200];

/** Everything that is counted, without the prefix `vitrine_`. The page about it and the dashboard are held to it. */
export const metricTable = {
  info: { type: 'gauge', labels: ['version', 'role'], help: '1, with what runs' },
  http_request_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    bounds: requestBounds,
    help: 'From a request to the head of its reply, by template of the path',
  },
  http_reply_bytes_waiting: {
    type: 'gauge',
    labels: [],
    help: 'Bytes of replies that this process holds because their readers have not taken them',
  },
  http_connections: { type: 'gauge', labels: [], help: 'Open connections of this process to its clients' },
  event_loop_block_seconds: {
    type: 'histogram',
    labels: ['work'],
    bounds: blockBounds,
    help: 'Times that nothing else could be done for more than 50 ms, by what was done: template of a path, or a kind of work',
  },
  backing_up: { type: 'gauge', labels: ['service'], help: '1 while a service behind this one answers, else 0' },
  pool_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'Connections of this process to PostgreSQL, busy and idle',
  },
  pool_waiting: { type: 'gauge', labels: [], help: 'Statements of this process that wait for a connection' },
  operations_accepted_total: { type: 'counter', labels: ['kind'], help: 'Operations that this process accepted' },
  operation_wait_seconds: {
    type: 'histogram',
    labels: [],
    bounds: operationBounds,
    help: 'From the acceptance of an operation to its begin',
  },
  operation_seconds: {
    type: 'histogram',
    labels: ['outcome'],
    bounds: operationBounds,
    help: 'From the acceptance of an operation to its end: finished or aborted',
  },
  operation_stage_seconds: {
    type: 'histogram',
    labels: ['stage'],
    bounds: workBounds,
    help: 'Work of one go: read (sources of a chunk), store (its transaction), analyze (one picture)',
  },
  elements_total: { type: 'counter', labels: ['outcome'], help: 'Elements of operations that ended: good or bad' },
  operations_open: { type: 'gauge', labels: ['state'], help: 'Operations that have not ended, in the database' },
  operations_oldest_seconds: { type: 'gauge', labels: ['state'], help: 'Age of the oldest of them' },
  analysis_open_chunks: { type: 'gauge', labels: [], help: 'Chunks of stored elements that wait for analysis' },
  workers: { type: 'gauge', labels: [], help: 'Workers that gave a sign of life in the last 10 s' },
  analyzer_seconds: {
    type: 'histogram',
    labels: ['analyzer'],
    bounds: workBounds,
    help: 'What one analyzer took for a picture',
  },
  analyzer_failures_total: { type: 'counter', labels: ['analyzer', 'code'], help: 'Pictures an analyzer failed at' },
  provider_calls_total: {
    type: 'counter',
    labels: ['model', 'outcome'],
    help: 'Calls of a model of a provider: request, retry, failure, or refused by us after failures',
  },
  provider_seconds_total: { type: 'counter', labels: ['model'], help: 'Seconds that calls of a model took' },
  provider_bytes_total: {
    type: 'counter',
    labels: ['model', 'direction'],
    help: 'Bytes to (out) and from (in) a model',
  },
  provider_tokens_total: {
    type: 'counter',
    labels: ['model', 'direction'],
    help: 'Tokens that language models counted, in and out: what is paid for',
  },
  cache_lookups_total: {
    type: 'counter',
    labels: ['cache', 'result'],
    help: 'Lookups (hit or miss): keys, compiled documents, bytes handed over to analysis',
  },
  similarity_images: { type: 'gauge', labels: [], help: 'Images in the similarity indexes of this process' },
  similarity_tenants: { type: 'gauge', labels: [], help: 'Tenants with a similarity index in this process' },
  engine_lag_seconds: { type: 'gauge', labels: [], help: 'Age of the oldest change that the search engine lacks' },
  engine_waiting: { type: 'gauge', labels: [], help: 'Changes that the search engine lacks' },
  engine_refused: { type: 'gauge', labels: [], help: 'Records that the search engine refused to take' },
  expired_rows_total: { type: 'counter', labels: ['table'], help: 'Rows that retention removed' },
} as const satisfies Readonly<Record<string, Row>>;

type Row =
  | Readonly<{ type: 'counter' | 'gauge'; labels: readonly string[]; help: string }>
  | Readonly<{ type: 'histogram'; labels: readonly string[]; help: string; bounds: readonly number[] }>;

type Table = typeof metricTable;
export type MetricName = keyof Table;
type NameOf<T extends Row['type']> = { [N in MetricName]: Table[N]['type'] extends T ? N : never }[MetricName];
export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type HistogramName = NameOf<'histogram'>;

/** The labels of a metric with their values. */
export type LabelsOf<N extends MetricName> = Readonly<Record<Table[N]['labels'][number], string>>;
