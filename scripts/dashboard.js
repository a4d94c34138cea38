// The dashboard of deploy/grafana-dashboard.json, as a table: rows of panels with their questions to Prometheus.
// `$__rate_interval`, `$instance` and `$datasource` are Grafana's.
const from = 'instance=~"$instance"';
const rate = (name, labels = '') =>
  `rate(vitrine_${name}{${[from, labels].filter(Boolean).join(',')}}[$__rate_interval])`;
const gauge = (name, labels = '') => `vitrine_${name}{${[from, labels].filter(Boolean).join(',')}}`;
const quantile = (q, name, by, labels) =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (${rate(`${name}_bucket`, labels)}))`;

const rows = [
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
        title: 'Answers with 5xx',
        unit: 'percentunit',
        ask: [
          [
            `sum(${rate('http_request_seconds_count', 'status=~"5.."')}) / sum(${rate('http_request_seconds_count')})`,
            'failed',
          ],
        ],
      },
      {
        title: 'Blocks of the event loop, seconds of each second',
        unit: 's',
        ask: [[`sum by (work) (${rate('event_loop_block_seconds_sum')})`, '{{work}}']],
      },
      {
        title: 'Connections, and bytes that wait for readers',
        unit: 'short',
        ask: [
          [`sum(${gauge('http_connections')})`, 'connections'],
          [`sum(${gauge('http_reply_bytes_waiting')})`, 'bytes'],
        ],
      },
      { title: 'Services behind', unit: 'short', ask: [[`min by (service) (${gauge('backing_up')})`, '{{service}}']] },
    ],
  },
  {
    title: 'Operations',
    panels: [
      { title: 'Open operations', unit: 'short', ask: [[`max by (state) (${gauge('operations_open')})`, '{{state}}']] },
      {
        title: 'Age of the oldest',
        unit: 's',
        ask: [[`max by (state) (${gauge('operations_oldest_seconds')})`, '{{state}}']],
      },
      {
        title: 'Accepted, and elements that ended',
        unit: 'ops',
        ask: [
          [`sum by (kind) (${rate('operations_accepted_total')})`, '{{kind}}'],
          [`sum by (outcome) (${rate('elements_total')})`, 'elements {{outcome}}'],
        ],
      },
      {
        title: 'From acceptance to begin and end, p95',
        unit: 's',
        ask: [
          [quantile(0.95, 'operation_wait_seconds', []), 'begin'],
          [quantile(0.95, 'operation_seconds', ['outcome']), '{{outcome}}'],
        ],
      },
      { title: 'Stages, p95', unit: 's', ask: [[quantile(0.95, 'operation_stage_seconds', ['stage']), '{{stage}}']] },
      {
        title: 'Workers, and chunks that wait for analysis',
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
        title: 'Seconds of analyzers a second',
        unit: 'short',
        ask: [[`sum by (analyzer) (${rate('analyzer_seconds_sum')})`, '{{analyzer}}']],
      },
      {
        title: 'One picture, p95',
        unit: 's',
        ask: [[quantile(0.95, 'analyzer_seconds', ['analyzer']), '{{analyzer}}']],
      },
      {
        title: 'Failures',
        unit: 'ops',
        ask: [[`sum by (analyzer, code) (${rate('analyzer_failures_total')})`, '{{analyzer}} {{code}}']],
      },
      {
        title: 'Calls of models',
        unit: 'ops',
        ask: [[`sum by (model, outcome) (${rate('provider_calls_total')})`, '{{model}} {{outcome}}']],
      },
      {
        title: 'What models cost: tokens and bytes a second',
        unit: 'short',
        ask: [
          [`sum by (model, direction) (${rate('provider_tokens_total')})`, '{{model}} tokens {{direction}}'],
          [`sum by (model, direction) (${rate('provider_bytes_total')})`, '{{model}} bytes {{direction}}'],
        ],
      },
      {
        title: 'Seconds in calls of models',
        unit: 'short',
        ask: [[`sum by (model) (${rate('provider_seconds_total')})`, '{{model}}']],
      },
    ],
  },
  {
    title: 'Inside',
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
        title: 'Rows that retention removed',
        unit: 'short',
        ask: [[`sum by (table) (increase(vitrine_expired_rows_total{${from}}[1h]))`, '{{table}}']],
      },
      {
        title: 'What runs',
        unit: 'short',
        ask: [[`sum by (version, role) (${gauge('info')})`, '{{version}} {{role}}']],
      },
    ],
  },
];

const [width, height, columns] = [12, 8, 24];

/** Grafana's dashboard, as its importer reads it. */
export function dashboard() {
  const panels = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    panels.push({
      type: 'row',
      title,
      id: panels.length + 1,
      collapsed: false,
      gridPos: { h: 1, w: columns, x: 0, y },
      panels: [],
    });
    y += 1;
    for (const [index, { title: name, unit, ask }] of own.entries()) {
      const gridPos = { h: height, w: width, x: (index % 2) * width, y: y + Math.floor(index / 2) * height };
      panels.push({
        type: 'timeseries',
        title: name,
        id: panels.length + 1,
        datasource: { type: 'prometheus', uid: '$datasource' },
        gridPos,
        fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
        options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
        targets: ask.map(([expr, legendFormat], at) => ({ refId: 'ABCDEF'[at], expr, legendFormat })),
      });
    }
    y += Math.ceil(own.length / 2) * height;
  }
  return {
    uid: 'vitrine',
    title: 'Vitrine',
    tags: ['vitrine'],
    timezone: 'browser',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        {
          name: 'instance',
          type: 'query',
          datasource: { type: 'prometheus', uid: '$datasource' },
          query: 'label_values(vitrine_info, instance)',
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
          refresh: 2,
        },
      ],
    },
    panels,
  };
}
