import { existsSync, readFileSync } from 'node:fs';

const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((table) => existsSync(table));

/** True where the system tells how many bytes wait in its buffers of TCP connections (Linux). */
export const queuesKnown = tables.length > 0;

/**
 * The bytes that wait in buffers of the system on connections from or to `port`: sent and not yet acknowledged, or
 * received and not yet read by the program. Columns of /proc/net/tcp: proc(5).
 */
export function queuedBytes(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables
    .flatMap((table) => readFileSync(table, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => [local, remote].some((address) => address?.endsWith(suffix)))
    .flatMap(([, , , , queues]) => (queues ?? '0:0').split(':'))
    .reduce((sum, bytes) => sum + Number.parseInt(bytes, 16), 0);
}
