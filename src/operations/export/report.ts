import type { TenantDb } from '../../tenants/index.ts';
import type { AnalysisChunk } from '../analyze/chunk.ts';
import { ChunkLostError } from '../analyze/chunk-lost.ts';
import { errorsOf } from '../run/outcomes.ts';
import type { Fault } from '../store/prepared-chunk.ts';
import { recordExport } from './statements.ts';

/** Reports the progress of an export. */
export type Report = Readonly<{
  /** Counts one more record: with null it is in the file, otherwise it is not, and why. @throws ChunkLostError */
  add(fault: Fault | null): Promise<void>;
  /** Stores the counts and new faults. @throws ChunkLostError */
  flush(): Promise<void>;
  /** Number of records in the file so far. */
  good(): number;
}>;

/** Minimum time between two reports, in milliseconds. */
const reportEveryMs = 500;

export function createReport(
  { operationId }: AnalysisChunk,
  { db, processId }: Readonly<{ db: TenantDb; processId: string }>,
): Report {
  let [good, bad]: [number, number] = [0, 0];
  let faults: Fault[] = [];
  let reportedAt = performance.now();
  const flush = async () => {
    const values = [operationId, processId, good, bad, JSON.stringify(errorsOf(faults))];
    const { rowCount } = await db.query(recordExport, values);
    if (rowCount === 0) throw new ChunkLostError();
    [faults, reportedAt] = [[], performance.now()];
  };
  return {
    async add(fault) {
      if (fault === null) good += 1;
      else {
        bad += 1;
        faults.push(fault);
      }
      if (performance.now() - reportedAt >= reportEveryMs) await flush();
    },
    flush,
    good: () => good,
  };
}
