// Rows of panels of the dashboard, with their Prometheus queries.
const from = 'instance=~"$instance"';
const rate = (name, labels = '') =>
  `rate(vitrine_${name}{${[from, labels].filter(Boolean).join(',')}}[$__rate_interval])`;
const gauge = (name, labels = '') => `vitrine_${name}{${[from, labels].filter(Boolean).join(',')}}`;
const quantile = (q, name, by, labels) =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (${rate(`${name}_bucket`, labels)}))`;

export const rows = [
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests by status',
        unit: 'reqps',
        ask: [[`sum by (status) (${rate('http_request_seconds_count')})`, '{{status}}']],
      },
      {
        title: 'p95 by route',
        unit: 's',
        ask: [[quantile(0.95, 'http_request_seconds', ['method', 'route']), '{{method}} {{route}}']],
      },
      {
        title: 'Replies with 5xx',
        unit: 'percentunit',
        ask: [
          [
            `sum(${rate('http_request_seconds_count', 'status=~"5.."')}) / sum(${rate('http_request_seconds_count')})`,
            'failed',
          ],
        ],
      },
      {
        title: 'Event loop blocked, seconds per second',
        unit: 's',
        ask: [[`sum by (work) (${rate('event_loop_block_seconds_sum')})`, '{{work}}']],
      },
      {
        title: 'Connections, unread reply bytes',
        unit: 'short',
        ask: [
          [`sum(${gauge('http_connections')})`, 'connections'],
          [`sum(${gauge('http_reply_bytes_waiting')})`, 'bytes'],
        ],
      },
      { title: 'Backing services', unit: 'short', ask: [[`min by (service) (${gauge('backing_up')})`, '{{service}}']] },
    ],
  },
  {
    title: 'Operations',
    panels: [
      {
        title: 'Unfinished operations',
        unit: 'short',
        ask: [[`max by (state) (${gauge('operations_open')})`, '{{state}}']],
      },
      {
        title: 'Age of the oldest operation',
        unit: 's',
        ask: [[`max by (state) (${gauge('operations_oldest_seconds')})`, '{{state}}']],
      },
      {
        title: 'Accepted operations, finished elements',
        unit: 'ops',
        ask: [
          [`sum by (kind) (${rate('operations_accepted_total')})`, '{{kind}}'],
          [`sum by (outcome) (${rate('elements_total')})`, 'elements {{outcome}}'],
        ],
      },
      {
        title: 'From acceptance to start and to end, p95',
        unit: 's',
        ask: [
          [quantile(0.95, 'operation_wait_seconds', []), 'begin'],
          [quantile(0.95, 'operation_seconds', ['outcome']), '{{outcome}}'],
        ],
      },
      { title: 'Stages, p95', unit: 's', ask: [[quantile(0.95, 'operation_stage_seconds', ['stage']), '{{stage}}']] },
      {
        title: 'Workers, chunks waiting for analysis',
        unit: 'short',
        ask: [
          [`max(${gauge('workers')})`, 'workers'],
          [`max(${gauge('analysis_open_chunks')})`, 'chunks'],
        ],
      },
    ],
  },
  {
    title: 'Analysis',
    panels: [
      {
        title: 'Analyzer seconds per second',
        unit: 'short',
        ask: [[`sum by (kind) (${rate('analyzer_seconds_sum')})`, '{{kind}}']],
      },
      {
        title: 'Time per picture, p95',
        unit: 's',
        ask: [[quantile(0.95, 'analyzer_seconds', ['kind']), '{{kind}}']],
      },
      {
        title: 'Failures',
        unit: 'ops',
        ask: [[`sum by (kind, code) (${rate('analyzer_failures_total')})`, '{{kind}} {{code}}']],
      },
      {
        title: 'Model calls',
        unit: 'ops',
        ask: [[`sum by (model, outcome) (${rate('provider_calls_total')})`, '{{model}} {{outcome}}']],
      },
      {
        title: 'Model cost: tokens and bytes per second',
        unit: 'short',
        ask: [
          [`sum by (model, direction) (${rate('provider_tokens_total')})`, '{{model}} tokens {{direction}}'],
          [`sum by (model, direction) (${rate('provider_bytes_total')})`, '{{model}} bytes {{direction}}'],
        ],
      },
      {
        title: 'Time in model calls',
        unit: 'short',
        ask: [[`sum by (model) (${rate('provider_seconds_total')})`, '{{model}}']],
      },
    ],
  },
  {
    title: 'Internals',
    panels: [
      {
        title: 'Connections to PostgreSQL',
        unit: 'short',
        ask: [
          [`sum by (instance, state) (${gauge('pool_connections')})`, '{{instance}} {{state}}'],
          [`sum by (instance) (${gauge('pool_waiting')})`, '{{instance}} waiting'],
        ],
      },
      {
        title: 'Replicas: ready, reads per second',
        unit: 'short',
        ask: [
          [`sum by (replica) (${gauge('replica_ready')})`, '{{replica}} ready at'],
          [`sum by (server) (${rate('replica_reads_total')})`, 'reads from {{server}}'],
        ],
      },
      {
        title: 'Cache hits',
        unit: 'percentunit',
        ask: [
          [
            `sum by (cache) (${rate('cache_lookups_total', 'result="hit"')}) / sum by (cache) (${rate('cache_lookups_total')})`,
            '{{cache}}',
          ],
        ],
      },
      {
        title: 'Meilisearch: lag',
        unit: 's',
        ask: [[`max(${gauge('meilisearch_lag_seconds')})`, 'oldest change']],
      },
      {
        title: 'Meilisearch: pending and refused',
        unit: 'short',
        ask: [
          [`max(${gauge('meilisearch_pending')})`, 'changes'],
          [`max(${gauge('meilisearch_refused')})`, 'records refused'],
        ],
      },
      {
        title: 'Similarity indexes',
        unit: 'short',
        ask: [
          [`sum by (instance) (${gauge('similarity_images')})`, '{{instance}} images'],
          [`sum by (instance) (${gauge('similarity_tenants')})`, '{{instance}} tenants'],
        ],
      },
      { title: 'Event loop lag, p99', unit: 's', ask: [[`nodejs_eventloop_lag_p99_seconds{${from}}`, '{{instance}}']] },
      { title: 'Memory', unit: 'bytes', ask: [[`process_resident_memory_bytes{${from}}`, '{{instance}}']] },
      {
        title: 'Rows removed by retention',
        unit: 'short',
        ask: [[`sum by (table) (increase(vitrine_expired_rows_total{${from}}[1h]))`, '{{table}}']],
      },
      {
        title: 'History: changes and bytes',
        unit: 'short',
        ask: [
          [`max(${gauge('history_changes')})`, 'changes'],
          [`max(${gauge('history_bytes')})`, 'bytes'],
        ],
      },
      {
        title: 'Uploads: files, bytes, received per hour',
        unit: 'short',
        ask: [
          [`max by (state) (${gauge('uploaded_files')})`, '{{state}}: files'],
          [`max by (state) (${gauge('uploaded_bytes')})`, '{{state}}: bytes'],
          [`sum by (outcome) (increase(vitrine_uploads_total{${from}}[1h]))`, '{{outcome}}'],
          [`sum(increase(vitrine_upload_bytes_total{${from}}[1h]))`, 'bytes received'],
        ],
      },
      {
        title: 'Webhooks: attempts by outcome, pending and dead messages',
        unit: 'short',
        ask: [
          [`sum by (outcome) (increase(vitrine_webhook_deliveries_total{${from}}[5m]))`, '{{outcome}}'],
          [`max by (state) (${gauge('webhook_messages')})`, '{{state}}: messages'],
        ],
      },
      {
        title: 'Webhooks: p95 of an attempt, age of the oldest message',
        unit: 's',
        ask: [
          [quantile(0.95, 'webhook_attempt_seconds', []), 'attempt, p95'],
          [`max(${gauge('webhook_oldest_seconds')})`, 'oldest'],
        ],
      },
      {
        title: 'Running versions',
        unit: 'short',
        ask: [[`sum by (version, role) (${gauge('info')})`, '{{version}} {{role}}']],
      },
    ],
  },
];
