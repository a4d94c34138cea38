import type { PoolClient } from 'pg';
import { keepAnalyses } from '../../catalog/index.ts';
import type { AnalysisWrite } from '../../catalog/index.ts';
import type { Logger } from '../../logger.ts';
import type { TenantDb } from '../../tenants/index.ts';

/** Why an element could not be analysed as a whole. */
export type Fault = Readonly<{ position: number; ref: string; analyzer: string | null; code: string; message: string }>;

/** What an element's analysis came to; nothing is to be kept of a record that is no more. */
export type Result = Readonly<{ position: number; ref: string; write: AnalysisWrite | null; fault: Fault | null }>;

/**
 * Keeps results all in one statement, or one by one where the database refuses a value of one of
 * them: what a model or a file says must not stop the others.
 */
export async function keepResults(
  db: TenantDb,
  client: PoolClient,
  results: readonly Result[],
  logger: Logger,
): Promise<readonly Result[]> {
  if (await tryToKeep(db, client, results)) return results;
  const kept: Result[] = [];
  for (const result of results) {
    const { write, position, ref } = result;
    if (write === null || (await tryToKeep(db, client, [result]))) kept.push(result);
    else {
      logger.error({ ref }, 'the database refused the results of an analysis');
      const columns = { status: 'failed', facts: {}, columns: {}, fill: {}, provenance: {} } as const;
      await keepAnalyses(db, client, [{ ...write, ...columns, pdq: null, embedding: null, likeness: null }]);
      const message = 'the results could not be stored';
      kept.push({ ...result, fault: { position, ref, analyzer: null, code: 'internal', message } });
    }
  }
  return kept;
}

async function tryToKeep(db: TenantDb, client: PoolClient, results: readonly Result[]): Promise<boolean> {
  const writes = results.flatMap(({ write }) => write ?? []);
  if (writes.length === 0) return true;
  await client.query('SAVEPOINT results');
  try {
    await keepAnalyses(db, client, writes);
    await client.query('RELEASE SAVEPOINT results');
    return true;
  } catch (error) {
    if (!/^(22|23|54)/.test(String((error as { code?: unknown }).code))) throw error;
    await client.query('ROLLBACK TO SAVEPOINT results');
    return false;
  }
}
