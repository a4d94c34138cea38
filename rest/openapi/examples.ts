import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../endpoint.ts';
import type { Json } from './derive.ts';

/** What the service really answered to a request; scripts/record-examples.js records it. */
export type RecordedExample = Readonly<{
  /** Method and path as the endpoint table has them. */
  endpoint: string;
  name: string;
  request?: unknown;
  status: number;
  answer: unknown;
}>;

const path = fileURLToPath(new URL('../examples.json', import.meta.url));

export const recordedExamples = JSON.parse(readFileSync(path, 'utf8')) as readonly RecordedExample[];

/** Examples of an endpoint's requests or of its answers with a status; of a status anywhere without an endpoint. */
export function examplesOf(
  endpoint: Pick<Endpoint, 'method' | 'path'> | null,
  part: 'request' | 'answer',
  status?: number,
): Json {
  const name = endpoint && `${endpoint.method} ${endpoint.path}`;
  const rows = recordedExamples.filter(
    (row) =>
      (name === null || row.endpoint === name) &&
      row[part] !== undefined &&
      (status === undefined ? row.status < 400 : row.status === status),
  );
  if (rows.length === 0) return {};
  const examples = rows.map((row) => [keyOf(row), { summary: row.name, value: row[part] }]);
  return { examples: Object.fromEntries(examples) };
}

function keyOf({ name }: RecordedExample): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-');
}
