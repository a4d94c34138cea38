import type { Tally } from './messages.ts';
import type { Report, Siege, Solo } from './report.ts';
import type { Check } from './verdict.ts';

const numWorst = 10;
const maxSuspects = 12;
const numLastLines = 10;
/** With more shapes nobody reads what each was answered. */
const maxListed = 40;

/** The report as people read it: the table, then the worst shapes of each measure, then what went wrong. */
export function format(report: Report, checks: readonly Check[]): string {
  const rows = checks.map(({ what, measured, target, passed }) => [what, measured, target, passed ? '' : 'MISSED']);
  return [
    `seed ${report.seed}, ${report.numShapes} shapes`,
    '',
    ...columns([['what', 'measured', 'target', ''], ...rows]),
    '',
    'The quiet tenant reads 20 times a second and tags once, from a process of its own; alone means beside an attacker',
    'process that waits. The attacker has the priority of nice 10: on two cores it shares them with the service.',
    ...worst('event loop blocked by one exchange', report.solos, ({ blockMs }) => blockMs, 'ms'),
    ...worst('memory taken by one exchange', report.solos, ({ memoryMiB }) => memoryMiB, 'MiB'),
    ...worst<Siege>("quiet tenant's reads, p95 under siege", report.sieges, ({ reads }) => reads, 'ms'),
    ...worst<Siege>("quiet tenant's tag, p95 under siege", report.sieges, ({ tags }) => tags, 'ms'),
    ...worst<Tally>('time of one exchange', report.tallies, ({ maxMs }) => maxMs, 'ms'),
    ...worst<Tally>('bytes answered to one exchange', report.tallies, ({ maxReceived }) => maxReceived / 1024, 'KiB'),
    ...worst<Tally>('bytes answered for one sent', report.tallies, ({ sent, received }) => received / (sent + 1), '×'),
    ...overdue(report.tallies),
    ...statuses(report.tallies),
    ...crashes(report),
    ...deadly(report.solos),
    ...faults(report.tallies),
    ...failures(report),
  ].join('\n');
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function worst<T extends Readonly<{ name: string }>>(
  title: string,
  list: readonly T[],
  of: (each: T) => number,
  unit: string,
): string[] {
  const found = list.filter((each) => of(each) >= 1).toSorted((a, b) => of(b) - of(a));
  if (found.length === 0) return [];
  const lines = found
    .slice(0, numWorst)
    .map((each) => `${String(Math.round(of(each))).padStart(9)} ${unit}  ${each.name}`);
  return ['', `Worst: ${title}`, ...lines];
}

function overdue(tallies: readonly Tally[]): string[] {
  const lines = tallies.filter((tally) => tally.overdue > 0).map((tally) => `  ${tally.overdue} × ${tally.name}`);
  return lines.length === 0 ? [] : ['', 'Exchanges without an answer', ...lines];
}

/** What each shape was answered, where they are few. */
function statuses(tallies: readonly Tally[]): string[] {
  if (tallies.length > maxListed) return [];
  const lines = tallies.map((tally) => {
    const counts = Object.entries(tally.statuses).map(([status, count]) => `${count} × ${status}`);
    return `  ${tally.name}: ${counts.join(', ') || 'nothing'}`;
  });
  return ['', 'Answers', ...lines];
}

/** Each way to end once, with how often and what was played. */
function crashes({ deaths }: Report): string[] {
  const lastLines = (said: string) =>
    said
      .trim()
      .split('\n')
      .slice(-numLastLines)
      .map((line) => `    ${line.slice(0, 200)}`);
  const groups = new Map<string, Report['deaths'][number][]>();
  for (const death of deaths) {
    const key = [death.how, ...lastLines(death.said)].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), death]);
  }
  return [...groups].flatMap(([key, list]) => {
    const recent = [...new Set(list.flatMap((death) => death.recent))].slice(0, maxSuspects);
    const [how = '', ...lines] = key.split('\n');
    return ['', `${list.length} × CRASH (${how}); played at that time: ${recent.join(' | ')}`, ...lines];
  });
}

function deadly(solos: readonly Solo[]): string[] {
  const names = solos.filter(({ isDeadly }) => isDeadly).map(({ name }) => `  ${name}`);
  return names.length === 0 ? [] : ['', 'Ended the service by themselves', ...names];
}

function faults(tallies: readonly Tally[]): string[] {
  const lines = tallies.flatMap(({ name, numFaults, faults: list }) =>
    numFaults === 0
      ? []
      : [`  ${numFaults} × ${name}`, ...list.map(({ replay, what }) => `      ${what.slice(0, 240)}  (${replay})`)],
  );
  if (lines.length === 0) return [];
  return ['', "Answers that must not be; npm run attack -- --only 'NAME' plays one again", ...lines];
}

function failures({ mixed, sieges }: Report): string[] {
  const lines = [...sieges, ...(mixed === null ? [] : [{ name: 'mixed', ...mixed }])].flatMap(({ name, failures }) =>
    Object.entries(failures).map(([what, count]) => `  ${count} × ${what}  (${name})`),
  );
  return lines.length === 0 ? [] : ['', 'Requests of the quiet tenant that failed', ...lines];
}
