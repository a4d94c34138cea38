import type { Outcome, Shape } from './exchange.ts';
import type { Tally } from './messages.ts';

/** Maximum faults of one shape in the report. */
const maxFaults = 3;

export function createTally(name: string): Tally {
  return {
    name,
    count: 0,
    refused: 0,
    overdue: 0,
    statuses: {},
    sent: 0,
    received: 0,
    maxMs: 0,
    maxReceived: 0,
    numFaults: 0,
    faults: [],
  };
}

type Acted = Readonly<{ shape: Shape; replay: string; outcomes: readonly Outcome[] }>;

/** Counts what became of one exchange, which may have taken several connections. */
export function addOutcome(tally: Tally, { shape, replay, outcomes }: Acted): void {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  tally.count += 1;
  tally.refused += outcomes.some(({ isRefused }) => isRefused) ? 1 : 0;
  tally.overdue += outcomes.some(({ isOverdue }) => isOverdue) ? 1 : 0;
  tally.sent += sum(({ sent }) => sent);
  tally.received += sum(({ received }) => received);
  tally.maxMs = Math.max(tally.maxMs, ...outcomes.map(({ ms }) => ms));
  tally.maxReceived = Math.max(
    tally.maxReceived,
    sum(({ received }) => received),
  );
  for (const { statuses, fault } of outcomes) {
    for (const status of statuses) tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
    const unwanted = statuses.find((status) => shape.promised !== undefined && !shape.promised.includes(status));
    const what =
      fault ?? (unwanted === undefined ? null : `answered ${unwanted}; ${shape.promised?.join(', ')} promised`);
    if (what === null) continue;
    tally.numFaults += 1;
    if (tally.faults.length < maxFaults) tally.faults.push({ replay, what });
  }
}

/** Adds the counts of the same shape. */
export function mergeTallies(lists: readonly (readonly Tally[])[]): Tally[] {
  const merged = new Map<string, Tally>();
  for (const tally of lists.flat()) {
    const whole = merged.get(tally.name) ?? createTally(tally.name);
    merged.set(tally.name, whole);
    for (const name of ['count', 'refused', 'overdue', 'sent', 'received', 'numFaults'] as const) {
      whole[name] += tally[name];
    }
    whole.maxMs = Math.max(whole.maxMs, tally.maxMs);
    whole.maxReceived = Math.max(whole.maxReceived, tally.maxReceived);
    whole.faults = [...whole.faults, ...tally.faults].slice(0, maxFaults);
    for (const [status, count] of Object.entries(tally.statuses)) {
      whole.statuses[Number(status)] = (whole.statuses[Number(status)] ?? 0) + count;
    }
  }
  return [...merged.values()];
}
