import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { endpoints } from '../endpoints/index.ts';
import type { Json } from './json-object.ts';

/** A recorded exchange with the service; written by scripts/record-examples.js. */
type RecordedExample = Readonly<{
  /** Method and path as in the endpoint table. */
  endpoint: string;
  name: string;
  request?: unknown;
  status: number;
  answer: unknown;
}>;

const path = fileURLToPath(new URL('../examples.json', import.meta.url));

export const recordedExamples = JSON.parse(readFileSync(path, 'utf8')) as readonly RecordedExample[];

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;

/** Examples of an endpoint's successful requests, or of its replies with a status. */
export function examplesOf(
  endpoint: Pick<Endpoint, 'method' | 'path'>,
  part: 'request' | 'answer',
  status?: number,
): Json {
  const rows = recordedExamples.filter(
    (row) => row.endpoint === nameOf(endpoint) && (status === undefined ? row.status < 400 : row.status === status),
  );
  return toExamples(rows, part);
}

/** Examples of replies with a status, from all endpoints that satisfy a condition. */
export function examplesWhere(when: (endpoint: Endpoint) => boolean, status: number): Json {
  const names = new Set(endpoints.filter(when).map(nameOf));
  const rows = recordedExamples.filter((row) => names.has(row.endpoint) && row.status === status);
  return toExamples(rows, 'answer');
}

function toExamples(rows: readonly RecordedExample[], part: 'request' | 'answer'): Json {
  const examples = rows
    .filter((row) => row[part] !== undefined)
    .map((row) => [keyOf(row), { summary: row.name, value: row[part] }] as const);
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}

function keyOf({ name }: RecordedExample): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-');
}
