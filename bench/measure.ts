import { get } from 'node:http';
import type { Agent } from 'node:http';
import process from 'node:process';
import autocannon from 'autocannon';

export type Load = Readonly<{ url: string; connections: number; seconds: number; requests: autocannon.Request[] }>;

/** Requests per second under load; fails if a reply is not 2xx. */
export async function requestsPerSecond({ url, connections, seconds, requests }: Load): Promise<number> {
  const result = await autocannon({ url, connections, duration: seconds, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers of ${url} were not 2xx`);
  return result.requests.average;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Measures candidates alternately, so that a drift of the machine affects all of them; the first round is not
 * counted.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  candidates: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(candidates) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) values[name].push(await candidates[name]());
  }
  return Object.fromEntries(names.map((name) => [name, median(values[name].slice(rounds > 1 ? 1 : 0))])) as Record<
    Name,
    number
  >;
}

/** One line of the report: what was measured, the ratio, its target, and the figures behind it. */
export function report(what: string, value: string, target: string, figures: string): void {
  process.stdout.write(`${what.padEnd(52)} ${value.padStart(9)}   target ${target.padEnd(10)} ${figures}\n`);
}

export function ratio(a: number, b: number): string {
  return `${(a / b).toFixed(2)} ×`;
}

/** One GET over a keep-alive connection, because the cost of `fetch` itself would be part of every figure. */
export function getOnce(url: string, key: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { 'API-Key': key } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} was answered ${response.statusCode}`));
      response.resume();
      response.once('end', resolve);
    });
    request.once('error', reject);
  });
}
