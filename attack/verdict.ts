import { decodeMemoryBytes } from '../src/analysis/limits.ts';
import { rowNames } from './shapes/index.ts';
import type { QuietFigures, Report } from './report.ts';

/** One line of the table. */
export type Check = Readonly<{ what: string; measured: string; target: string; passed: boolean }>;

/** What is promised, on two cores. Memory is without that for decoding one large picture, which has a limit of its own. */
export const targets = { blockMs: 100, memoryMiB: 300, reads: 3, tags: 4 } as const;
const decodingMiB = decodeMemoryBytes / 2 ** 20;

const whole = (value: number, unit: string) => `${Math.round(value)} ${unit}`;

/** Everything that must hold, with what was measured. */
export function judge(report: Report): Check[] {
  const { tallies } = report;
  const faults = tallies.reduce((sum, { numFaults }) => sum + numFaults, 0);
  const overdue = tallies.reduce((sum, { overdue }) => sum + overdue, 0);
  const memory = report.worstMiB - report.restMiB;
  return [
    {
      what: `crashes in ${report.exchanges} exchanges`,
      measured: String(report.restarts),
      target: '0',
      passed: report.restarts === 0,
    },
    {
      what: 'answers that must not be (5xx, not refused)',
      measured: String(faults),
      target: '0',
      passed: faults === 0,
    },
    ...(report.solos.length === 0 ? [] : [blockCheck(report)]),
    {
      what: 'memory above rest at the worst',
      measured: `${whole(memory, 'MiB')} (rest ${Math.round(report.restMiB)})`,
      target: `≤ ${targets.memoryMiB} + ${decodingMiB} MiB`,
      passed: memory <= targets.memoryMiB + decodingMiB,
    },
    ...quietChecks(report),
    ...timeChecks(report, overdue),
  ];
}

/**
 * What holds on a busy machine as well: crashes and answers. Times and memory are judged by a whole run, which has the
 * machine for itself. Each of the named rows counts by itself.
 */
export function judgeShort(report: Report): Check[] {
  const { tallies } = report;
  const general = judge(report).filter(({ what }) => /^(?:crashes|answers)/.test(what));
  return [
    ...general,
    ...rowNames.map((name): Check => {
      const { numFaults = 0, statuses = {}, count = 0 } = tallies.find((tally) => tally.name === name) ?? {};
      const measured = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
      return {
        what: name,
        measured: measured.join(', '),
        target: 'played, no fault',
        passed: count > 0 && numFaults === 0,
      };
    }),
  ];
}

function blockCheck({ solos }: Report): Check {
  const worst = solos.reduce((a, b) => (b.blockMs > a.blockMs ? b : a));
  return {
    what: 'longest block of the event loop by one request',
    measured: `${whole(worst.blockMs, 'ms')} (${worst.name})`,
    target: `≤ ${targets.blockMs} ms`,
    passed: worst.blockMs <= targets.blockMs,
  };
}

const parts = [
  ['reads', 'reads p95'],
  ['tags', 'tag p95'],
] as const;

function quietChecks({ alone, mixed, sieges }: Report): Check[] {
  if (alone === null) return [];
  const worst = (kind: 'reads' | 'tags') => sieges.toSorted((a, b) => b[kind] - a[kind])[0];
  return parts.flatMap(([kind, title]) => {
    const check = (what: string, figures: QuietFigures | null | undefined, note: string): Check[] => {
      if (figures === null || figures === undefined) return [];
      const times = figures[kind] / alone[kind];
      const measured = `${times.toFixed(1)} × (${whole(figures[kind], 'ms')}, alone ${alone[kind].toFixed(1)} ms${note})`;
      return [{ what, measured, target: `≤ ${targets[kind]} ×`, passed: times <= targets[kind] }];
    };
    const siege = worst(kind);
    return [
      ...check(`quiet tenant's ${title}, mixed attack`, mixed, ''),
      ...check(`quiet tenant's ${title}, worst siege`, siege, `; ${siege?.name ?? ''}`),
    ];
  });
}

function timeChecks({ exchanges, wanted }: Report, overdue: number): Check[] {
  const missing = wanted - exchanges;
  return [
    { what: 'exchanges without an answer within 30 s', measured: String(overdue), target: '0', passed: overdue === 0 },
    {
      what: 'exchanges that were not played in time',
      measured: String(missing),
      target: '≤ 1 %',
      passed: missing <= wanted / 100,
    },
  ];
}
