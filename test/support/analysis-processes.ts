import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

/** An analysis program that fails as native code can. */
export const faultyAnalysisProcess = join(import.meta.dirname, 'faulty-analysis-process.js');

/** The processes of pictures that a process has started, with `settings` in theirs: others of a test process may be at work, too. */
export function analysisProcesses(parent = process.pid, settings = ''): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n');
  const rows = lines.filter((line) => line.includes('dist/src/analysis/process/process.js') && line.includes(settings));
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}
