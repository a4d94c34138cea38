import type { PoolClient } from 'pg';
import type { ModelIds } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { behindSavepoint, isOfElement } from '../store/savepoint.ts';
import type { OperationWarning } from '../submit/warnings.ts';
import type { RecordAnalyzer } from './record-analyzer.ts';

/** Why the analysis of an element failed; `analyzer` is the one that failed, if the others have results. */
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

/** What storing results needs, and how it treats failures. */
type KeepContext = Readonly<{
  models: ModelIds;
  logger: Logger;
  /**
   * Whether a result is dropped for any error but an unavailable database, because storing the chunk as a whole kept
   * failing.
   */
  isOneByOne: boolean;
}>;

/** How results are stored. */
type ResultStore<Write> = Pick<RecordAnalyzer<unknown, Write>, 'keep' | 'refused'>;

/**
 * Stores results in one statement, or one by one if the database refuses a value in one of them: the output of a
 * model or the content of a file must not hold up the others.
 */
export async function keepResults<Write>(
  db: TenantDb,
  client: PoolClient,
  recordAnalyzer: ResultStore<Write>,
  results: readonly ElementAnalysis<Write>[],
  context: KeepContext,
): Promise<readonly ElementAnalysis<Write>[]> {
  if (await tryToKeep(db, client, recordAnalyzer, results, context)) return results;
  const kept: ElementAnalysis<Write>[] = [];
  for (const result of results) {
    const { write, position, ref } = result;
    if (write === null || (await tryToKeep(db, client, recordAnalyzer, [result], context))) kept.push(result);
    else {
      context.logger.error({ ref }, 'the database refused the results of an analysis');
      const message = 'the results could not be stored';
      // If even this cannot be stored, the record keeps its previous status, and the operation still ends.
      const refused = { ...result, write: recordAnalyzer.refused(write, message) };
      await tryToKeep(db, client, recordAnalyzer, [refused], context);
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
  { models, isOneByOne }: KeepContext,
): Promise<boolean> {
  const writes = results.flatMap(({ write }) => (write === null ? [] : [write]));
  if (writes.length === 0) return true;
  try {
    await behindSavepoint(client, () => recordAnalyzer.keep(db, client, writes, models));
    return true;
  } catch (error) {
    if (!isOfElement(error, isOneByOne)) throw error;
    return false;
  }
}
