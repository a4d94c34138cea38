import type { PoolClient } from 'pg';
import type { ModelIds } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { behindSavepoint, isDataFault } from '../store/savepoint.ts';
import type { OperationWarning } from '../submit/warnings.ts';
import type { RecordAnalyzer } from './record-analyzer.ts';

/** Why the analysis of an element failed as a whole. */
export type AnalysisFault = Readonly<{
  position: number;
  ref: string;
  analyzer: string | null;
  code: string;
  message: string;
}>;

/** The result of an element's analysis; nothing is stored for a record that no longer exists. */
export type ElementAnalysis<Write> = Readonly<{
  position: number;
  ref: string;
  write: Write | null;
  fault: AnalysisFault | null;
  warnings?: readonly OperationWarning[];
}>;

/** How results are stored. */
export type ResultStore<Write> = Pick<RecordAnalyzer<unknown, Write>, 'keep' | 'refused'>;

/**
 * Stores results in one statement, or one by one if the database refuses a value of one of
 * them: output of a model or content of a file must not stop the others.
 */
export async function keepResults<Write>(
  db: TenantDb,
  client: PoolClient,
  recordAnalyzer: ResultStore<Write>,
  results: readonly ElementAnalysis<Write>[],
  models: ModelIds,
  logger: Logger,
): Promise<readonly ElementAnalysis<Write>[]> {
  if (await tryToKeep(db, client, recordAnalyzer, results, models)) return results;
  const kept: ElementAnalysis<Write>[] = [];
  for (const result of results) {
    const { write, position, ref } = result;
    if (write === null || (await tryToKeep(db, client, recordAnalyzer, [result], models))) kept.push(result);
    else {
      logger.error({ ref }, 'the database refused the results of an analysis');
      const message = 'the results could not be stored';
      await recordAnalyzer.keep(db, client, [recordAnalyzer.refused(write, message)], models);
      kept.push({ ...result, fault: { position, ref, analyzer: null, code: 'internal', message } });
    }
  }
  return kept;
}

async function tryToKeep<Write>(
  db: TenantDb,
  client: PoolClient,
  recordAnalyzer: ResultStore<Write>,
  results: readonly ElementAnalysis<Write>[],
  models: ModelIds,
): Promise<boolean> {
  const writes = results.flatMap(({ write }) => (write === null ? [] : [write]));
  if (writes.length === 0) return true;
  try {
    await behindSavepoint(client, () => recordAnalyzer.keep(db, client, writes, models));
    return true;
  } catch (error) {
    if (!isDataFault(error)) throw error;
    return false;
  }
}
