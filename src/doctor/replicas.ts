import pg from 'pg';
import { connectionRemedy, readServerState, replicaFault } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;

/** Checks the replicas of DATABASE_READ_URLS: whether they answer, follow the primary, and how far behind they are. */
export async function findReplicas({ databaseUrl, database: { readUrls } }: Config): Promise<Finding[]> {
  if (readUrls.length === 0) return [];
  if (databaseUrl === undefined) {
    const text = 'DATABASE_READ_URLS is set without DATABASE_URL';
    return [{ subject: 'replica', state: 'fault', text, remedy: 'The embedded PostgreSQL has no replicas.' }];
  }
  // Findings about the primary itself are not repeated here.
  const primary = await ask(databaseUrl).catch(() => null);
  return primary === null ? [] : Promise.all(readUrls.map((url) => find(url, primary)));
}

type State = Awaited<ReturnType<typeof readServerState>>;

async function find(url: string, primary: State): Promise<Finding> {
  const name = withoutPassword(url);
  try {
    const replica = await ask(url);
    const fault = replicaFault(replica, primary);
    if (fault === null) {
      const behind = Math.max(0, primary.position - replica.position);
      return { subject: 'replica', state: 'ok', text: `${name} answers, ${behind} bytes behind` };
    }
    const remedy = 'Set DATABASE_READ_URLS to streaming replicas of DATABASE_URL, with its database.';
    return { subject: 'replica', state: 'fault', text: `${name}: ${fault}; it is not read from`, remedy };
  } catch (error) {
    const text = `${name} does not answer: ${reasonOf(error)}; it is not read from`;
    return { subject: 'replica', state: 'fault', text, remedy: connectionRemedy(error) };
  }
}

async function ask(url: string): Promise<State> {
  const options = { connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const client = new pg.Client(options);
  client.on('error', () => {}); // Reported by the query that fails.
  try {
    await client.connect();
    return await readServerState(client);
  } finally {
    await client.end().catch(() => {});
  }
}
