/** Failures that are told one by one. */
const shownFailures = 20;

type Failure = Readonly<{ id: string; place: string; code: string; message: string }>;

/** What an import came to. */
export type Summary = {
  total: number;
  created: number;
  patched: number;
  skipped: number;
  failed: number;
  seconds: number;
  failures: Failure[];
};

/** Nothing yet. */
export const emptySummary = (): Summary => ({
  total: 0,
  created: 0,
  patched: 0,
  skipped: 0,
  failed: 0,
  seconds: 0,
  failures: [],
});

/** Notes down a record that was not stored. */
export function fail(summary: Summary, failure: Failure): void {
  summary.failed += 1;
  summary.failures.push(failure);
}

/** What a person is told of an import. */
export function describeImport({ total, created, patched, skipped, failed, seconds, failures }: Summary): string {
  const parts = [`${created} new`, `${patched} patched`, `${skipped} skipped (already there)`, `${failed} failed`];
  const lines = [`${total} ${total === 1 ? 'record' : 'records'} in ${seconds} s: ${parts.join(', ')}.`];
  for (const { id, place, code, message } of failures.slice(0, shownFailures)) {
    lines.push(`  ✗ ${place}${id === '' ? '' : ` (${id})`}: ${code}: ${message}`);
  }
  if (failures.length > shownFailures)
    lines.push(`  … and ${failures.length - shownFailures} more; see all with --json`);
  if (failures.some(({ code }) => code === 'source_forbidden')) {
    lines.push('  Files must lie below a media root of the service: set MEDIA_ROOTS for it and try again.');
  }
  return lines.join('\n');
}
