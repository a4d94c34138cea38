import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Metric } from 'prom-client';
import { waitAtMost } from '../../lib/wait-at-most.ts';
import { Count, Timing } from './series.ts';
import { metricTable } from './table.ts';
import type { CounterName, GaugeName, HistogramName, LabelsOf, MetricName } from './table.ts';

const prefix = 'vitrine_';
/** A scrape waits at most this long for a value that cannot be read. */
const timeoutMs = 3_000;

/** One value of a gauge. */
type MetricReading = Readonly<{ labels?: Readonly<Record<string, string>>; value: number }>;
/** Gauges and counters of other modules, read at each scrape. */
export type Readings = { [N in GaugeName | CounterName]?: readonly MetricReading[] };
type MetricSource = () => Promise<Readings> | Readings;

type Labeled<T> = Readonly<{ labels: Readonly<Record<string, string>>; series: T }>;

const counts = new Map<string, Labeled<Count> & { name: MetricName }>();
const timings = new Map<string, Labeled<Timing> & { name: MetricName }>();
const sources = new Set<MetricSource>();

/** The counter with these labels; frequent callers keep a reference. */
export function counter<N extends CounterName>(name: N, labels: LabelsOf<N>): Count {
  const key = keyOf(name, labels);
  let known = counts.get(key);
  if (known === undefined) counts.set(key, (known = { name, labels, series: new Count() }));
  return known.series;
}

/** The histogram with these labels; frequent callers keep a reference. */
export function timing<N extends HistogramName>(name: N, labels: LabelsOf<N>): Timing {
  const key = keyOf(name, labels);
  let known = timings.get(key);
  if (known === undefined) timings.set(key, (known = { name, labels, series: new Timing(metricTable[name].bounds) }));
  return known.series;
}

/** Adds a source of values that are read at each scrape; returns a function that removes it. */
export function addSource(source: MetricSource): () => void {
  sources.add(source);
  return () => void sources.delete(source);
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name} ${Object.values(labels).join(' ')}`;
}

type Value = Readonly<{ value: number; labels: Readonly<Record<string, string | number>>; metricName?: string }>;

function valuesOf(name: MetricName, read: Readings): Value[] {
  const own = [...counts.values()].filter((each) => each.name === name);
  const counted = own.map(({ labels, series }) => ({ value: series.value, labels }));
  const given = (read as Partial<Record<MetricName, readonly MetricReading[]>>)[name] ?? [];
  const histogram = [...timings.values()].filter((each) => each.name === name).flatMap(toBuckets);
  return [...counted, ...given.map(({ value, labels = {} }) => ({ value, labels })), ...histogram];
}

function toBuckets({ name, labels, series }: Labeled<Timing> & { name: MetricName }): Value[] {
  const metricName = prefix + name;
  let total = 0;
  const buckets = series.counts.map((count, index) => {
    total += count;
    const le = series.bounds[index] ?? '+Inf';
    return { value: total, labels: { ...labels, le }, metricName: `${metricName}_bucket` };
  });
  return [
    ...buckets,
    { value: series.sum, labels, metricName: `${metricName}_sum` },
    { value: total, labels, metricName: `${metricName}_count` },
  ];
}

let processMetrics: Registry | null = null;

/** Starts to measure the event loop and garbage collections, once. */
export function watchProcess(): Registry {
  if (processMetrics === null) collectDefaultMetrics({ register: (processMetrics = new Registry()) });
  return processMetrics;
}

/** All metrics in the format of Prometheus, including those without a value yet and the client's own metrics of the process. */
export async function writeMetrics(): Promise<{ type: string; text: string }> {
  const read: Readings = Object.assign({}, ...(await Promise.all([...sources].map(readInTime))));
  // A registry for each reply: concurrent scrapes must not see each other's values.
  const registry = new Registry();
  for (const [name, { type, help }] of Object.entries(metricTable)) {
    const values = valuesOf(name as MetricName, read);
    const metric = { name: prefix + name, help, type, get: () => ({ name: prefix + name, help, type, values }) };
    // The registry only asks a metric for its values; the client's own classes cannot be set to ours.
    registry.registerMetric(metric as unknown as Metric);
  }
  const texts = await Promise.all([registry.metrics(), watchProcess().metrics()]);
  return { type: registry.contentType, text: texts.join('\n') };
}

/** A source that fails or is late is skipped; `backing_up` reports unavailable services. */
async function readInTime(source: MetricSource): Promise<Readings> {
  try {
    return await waitAtMost(timeoutMs, Promise.resolve(source()));
  } catch {
    return {};
  }
}
