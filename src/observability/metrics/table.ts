/** Upper bounds of histogram buckets, in seconds. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150];
const workBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const blockBounds = [0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30];
const operationBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200];

/** All metrics, without the prefix `vitrine_`. Tests compare the documentation and the dashboard with this table. */
export const metricTable = {
  info: { type: 'gauge', labels: ['version', 'role'], help: 'Always 1; the labels name the version and role' },
  http_request_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    bounds: requestBounds,
    help: 'Time from a request to the headers of its reply, by path template',
  },
  http_reply_bytes_waiting: {
    type: 'gauge',
    labels: [],
    help: 'Reply bytes buffered because clients read slowly',
  },
  http_connections: { type: 'gauge', labels: [], help: 'Open client connections' },
  event_loop_block_seconds: {
    type: 'histogram',
    labels: ['work'],
    bounds: blockBounds,
    help: 'Event loop blocks over 50 ms, by path template or kind of work',
  },
  backing_up: { type: 'gauge', labels: ['service'], help: '1 if a backing service answers, else 0' },
  pool_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'Connections to PostgreSQL, busy and idle',
  },
  pool_waiting: { type: 'gauge', labels: [], help: 'Statements that wait for a PostgreSQL connection' },
  replica_ready: { type: 'gauge', labels: ['replica'], help: '1 if reads go to the replica, else 0' },
  replica_reads_total: {
    type: 'counter',
    labels: ['server'],
    help: 'Reads with `DATABASE_READ_URLS`, by the server that answered: replica or primary',
  },
  operations_accepted_total: { type: 'counter', labels: ['kind'], help: 'Operations accepted' },
  operation_wait_seconds: {
    type: 'histogram',
    labels: [],
    bounds: operationBounds,
    help: 'Time from accepting an operation to its start',
  },
  operation_seconds: {
    type: 'histogram',
    labels: ['outcome'],
    bounds: operationBounds,
    help: 'Time from accepting an operation to its end: finished or aborted',
  },
  operation_stage_seconds: {
    type: 'histogram',
    labels: ['stage'],
    bounds: workBounds,
    help: 'Time of one step: read (sources of a chunk), store (its transaction), analyze (one picture)',
  },
  elements_total: { type: 'counter', labels: ['outcome'], help: 'Processed elements of operations: good or bad' },
  operations_open: { type: 'gauge', labels: ['state'], help: 'Unfinished operations in the database' },
  operations_oldest_seconds: { type: 'gauge', labels: ['state'], help: 'Age of the oldest unfinished operation' },
  analysis_open_chunks: { type: 'gauge', labels: [], help: 'Stored chunks that wait for analysis' },
  webhook_deliveries_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts to send a message to a webhook: delivered, failed (tried again) or dead (given up)',
  },
  webhook_attempt_seconds: {
    type: 'histogram',
    labels: [],
    bounds: workBounds,
    help: 'Time of one attempt to send a message to a webhook',
  },
  webhook_messages: { type: 'gauge', labels: ['state'], help: 'Messages to enabled webhooks: pending or dead' },
  webhook_oldest_seconds: { type: 'gauge', labels: [], help: 'Age of the oldest message that waits for its webhook' },
  workers: { type: 'gauge', labels: [], help: 'Workers with a heartbeat in the last 10 s' },
  analyzer_seconds: {
    type: 'histogram',
    labels: ['kind', 'analyzer'],
    bounds: workBounds,
    help: 'Time of one analyzer for one picture; the label analyzer is deprecated',
  },
  analyzer_failures_total: {
    type: 'counter',
    labels: ['kind', 'analyzer', 'code'],
    help: 'Pictures for which an analyzer failed; the label analyzer is deprecated',
  },
  provider_calls_total: {
    type: 'counter',
    labels: ['model', 'outcome'],
    help: 'Calls of a provider model: request, retry, failure, or refused by the circuit breaker',
  },
  provider_seconds_total: { type: 'counter', labels: ['model'], help: 'Total time of calls of a model' },
  provider_bytes_total: {
    type: 'counter',
    labels: ['model', 'direction'],
    help: 'Bytes sent to (out) and received from (in) a model',
  },
  provider_tokens_total: {
    type: 'counter',
    labels: ['model', 'direction'],
    help: 'Billed tokens of language models, in and out',
  },
  cache_lookups_total: {
    type: 'counter',
    labels: ['cache', 'result'],
    help: 'Cache lookups (hit or miss): keys, compiled documents, source bytes for analysis',
  },
  similarity_images: { type: 'gauge', labels: [], help: 'Images in the similarity indexes of this process' },
  similarity_tenants: { type: 'gauge', labels: [], help: 'Tenants with a similarity index in this process' },
  meilisearch_lag_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest change that Meilisearch has not indexed yet',
  },
  meilisearch_pending: { type: 'gauge', labels: [], help: 'Changes that Meilisearch has not indexed yet' },
  meilisearch_refused: { type: 'gauge', labels: [], help: 'Records that Meilisearch refused' },
  engine_lag_seconds: { type: 'gauge', labels: [], help: 'Deprecated: use vitrine_meilisearch_lag_seconds' },
  engine_waiting: { type: 'gauge', labels: [], help: 'Deprecated: use vitrine_meilisearch_pending' },
  engine_refused: { type: 'gauge', labels: [], help: 'Deprecated: use vitrine_meilisearch_refused' },
  history_changes: { type: 'gauge', labels: [], help: 'Kept changes of records, as PostgreSQL estimates them' },
  history_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Bytes of kept changes, with what was attached to deleted records',
  },
  uploaded_files: {
    type: 'gauge',
    labels: ['state'],
    help: 'Uploaded files: receiving, unused (no write has named it), used',
  },
  uploaded_bytes: { type: 'gauge', labels: ['state'], help: 'Bytes of uploaded files' },
  uploads_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Completed uploads: kept, or known because the tenant had the file',
  },
  upload_bytes_total: { type: 'counter', labels: [], help: 'Bytes received of uploaded files' },
  expired_rows_total: {
    type: 'counter',
    labels: ['table'],
    help: 'Rows deleted because their retention time has passed',
  },
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
