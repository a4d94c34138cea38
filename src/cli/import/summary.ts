import { inTime } from '../progress.ts';

/** Failures that are named one by one. */
const shownFailures = 20;

type Failure = Readonly<{ id: string; place: string; code: string; message: string }>;

/** What an import came to. */
export type Summary = {
  total: number;
  created: number;
  patched: number;
  skipped: number;
  failed: number;
  /** How many of the stored ones are analyzed, and how many are to be. */
  analyzed: number;
  toAnalyze: number;
  analysisFailed: number;
  seconds: number;
  /** Language of the texts, as it was asked for or detected; null where the service's default counts. */
  lang: string | null;
  /** Fields that were left out. */
  ignored: string[];
  /** Operations that this import submitted. */
  operations: number[];
  /** Whether it was stopped before its end, and what is left to the operation that it was at. */
  interrupted: Readonly<{ operation: number | null; left: number }> | null;
  /** Whether a service runs that goes on with what is left. */
  hasService: boolean;
  failures: Failure[];
};

/** Nothing yet. */
export function emptySummary(): Summary {
  const counts = { total: 0, created: 0, patched: 0, skipped: 0, failed: 0, seconds: 0 };
  const analysis = { analyzed: 0, toAnalyze: 0, analysisFailed: 0 };
  const rest = { lang: null, ignored: [], operations: [], interrupted: null, hasService: false, failures: [] };
  return { ...counts, ...analysis, ...rest };
}

/** Records of which it is known what became of them. */
export function doneOf({ created, patched, skipped, failed }: Summary): number {
  return created + patched + skipped + failed;
}

/** Notes down a record that was not stored. */
export function addFailure(summary: Summary, failure: Failure): void {
  summary.failed += 1;
  summary.failures.push(failure);
}

/** What a person reads of an import. */
export function describeImport(summary: Summary, tenant: string): string {
  const { total, created, patched, skipped, failed, seconds, failures, interrupted } = summary;
  const parts = [`${created} new`, `${patched} patched`, `${skipped} skipped (already there)`, `${failed} failed`];
  const of = interrupted === null ? '' : `${doneOf(summary)} of `;
  const lines = [
    ...(interrupted === null ? [] : ['Stopped.']),
    `${of}${total} ${total === 1 ? 'record' : 'records'} in ${seconds} s: ${parts.join(', ')}.`,
  ];
  for (const { id, place, code, message } of failures.slice(0, shownFailures)) {
    lines.push(`  ✗ ${place}${id === '' ? '' : ` (${id})`}: ${code}: ${message}`);
  }
  if (failures.length > shownFailures)
    lines.push(`  … and ${failures.length - shownFailures} more; see all with --json`);
  if (failures.some(({ code }) => code === 'source_forbidden')) {
    lines.push('  Files must be below a media root of the service: set MEDIA_ROOTS and try again.');
  }
  return [...lines, ...describeRest(summary), ...describeAnalysis(summary, tenant)].join('\n');
}

function describeRest({ interrupted, hasService }: Summary): string[] {
  if (interrupted === null) return [];
  const { operation, left } = interrupted;
  const how = hasService
    ? `The service continues with ${left} more as operation ${operation}: vitrine follow ${operation}`
    : `${left} more wait in operation ${operation} for the service or the next import.`;
  const rest = operation === null || left === 0 ? [] : [how];
  return [...rest, 'Repeat the command to continue with the rest.'];
}

function describeAnalysis(summary: Summary, tenant: string): string[] {
  const { toAnalyze, analyzed, analysisFailed, hasService, seconds } = summary;
  if (toAnalyze === 0) return [];
  const done = analyzed + analysisFailed;
  const failed = analysisFailed === 0 ? '' : `, ${analysisFailed} of them incompletely`;
  if (done === toAnalyze) return [`All ${toAnalyze} are analyzed${failed}, after ${inTime(seconds)}.`];
  const follow = `vitrine follow${tenant === 'default' ? '' : ` --tenant ${tenant}`}`;
  if (hasService) return [`The service analyzes them: ${done} of ${toAnalyze} so far. To follow it: ${follow}`];
  return [`${toAnalyze - done} wait for analysis, which continues when the service runs: vitrine serve`];
}
