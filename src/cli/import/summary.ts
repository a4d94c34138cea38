import { inTime } from '../progress.ts';

/** Maximum number of failures that are listed. */
const shownFailures = 20;

type Failure = Readonly<{ id: string; place: string; code: string; message: string }>;

/** The results of an import. */
export type Summary = {
  total: number;
  created: number;
  patched: number;
  skipped: number;
  failed: number;
  /** How many of the stored records have been analyzed so far, and how many will be. */
  analyzed: number;
  toAnalyze: number;
  analysisFailed: number;
  seconds: number;
  /** Language of the texts, as given or detected; null if the service's default applies. */
  lang: string | null;
  /** Fields that were ignored. */
  ignored: string[];
  /** Operations that this import submitted. */
  operations: number[];
  /** Set if it was stopped early: the operation in progress, and how many of its records are left. */
  interrupted: Readonly<{ operation: number | null; left: number }> | null;
  /** Whether a service is running, which continues with the rest. */
  hasService: boolean;
  failures: Failure[];
};

/** A summary with all counts at zero. */
export function emptySummary(): Summary {
  const counts = { total: 0, created: 0, patched: 0, skipped: 0, failed: 0, seconds: 0 };
  const analysis = { analyzed: 0, toAnalyze: 0, analysisFailed: 0 };
  const rest = { lang: null, ignored: [], operations: [], interrupted: null, hasService: false, failures: [] };
  return { ...counts, ...analysis, ...rest };
}

/** Number of records whose result is known. */
export function doneOf({ created, patched, skipped, failed }: Summary): number {
  return created + patched + skipped + failed;
}

/** Notes a record that was not stored. */
export function addFailure(summary: Summary, failure: Failure): void {
  summary.failed += 1;
  summary.failures.push(failure);
}

/** Describes an import for a person. */
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
