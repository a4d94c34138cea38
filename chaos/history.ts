// What became of the writes: which operation each one is, and in which order they were applied.
import type { OperationRecord, Write } from './model.ts';
import { signatureOf, signatureOfRecord } from './writes.ts';

/** A write and the number of its operation; null where the answer was lost, so nobody knows. */
export type Sent = { readonly write: Write; operation: number | null };

export type Applied = Readonly<{ write: Write; record: OperationRecord }>;

/**
 * Operations that no answer named belong to the writes whose answers were lost, in their order.
 *
 * @returns what cannot be.
 */
export function findOwners(sent: readonly Sent[], records: readonly OperationRecord[]): string[] {
  const known = new Set(sent.map(({ operation }) => operation));
  const faults: string[] = [];
  for (const record of records.toSorted((a, b) => a.operation_id - b.operation_id)) {
    const id = record.operation_id;
    if (known.has(id)) continue;
    const after = sent.findLastIndex(({ operation }) => operation !== null && operation < id) + 1;
    const rest = sent.slice(after);
    const end = rest.findIndex(({ operation }) => operation !== null);
    const signature = signatureOfRecord(record);
    const owner = rest.slice(0, end < 0 ? undefined : end).find(({ write }) => signatureOf(write) === signature);
    if (owner === undefined) faults.push(`operation ${id} was asked for by nobody, or accepted twice`);
    else owner.operation = id;
  }
  return faults;
}

/** Each accepted write with its record; what is missing is a fault. */
export function withRecords(
  sent: readonly Sent[],
  records: readonly OperationRecord[],
): { accepted: Applied[]; faults: string[] } {
  const byId = new Map(records.map((record) => [record.operation_id, record]));
  const faults: string[] = [];
  const accepted = sent.flatMap(({ write, operation }): Applied[] => {
    if (operation === null) return [];
    const record = byId.get(operation);
    if (record === undefined) faults.push(`operation ${operation} was accepted and is gone`);
    return record === undefined ? [] : [{ write, record }];
  });
  return { accepted, faults };
}

/** The writes in the order in which they were applied; those that never started come last. */
export function inOrder(accepted: readonly Applied[]): Applied[] {
  const started = accepted.filter(({ record }) => record.started_at !== null);
  const waited = accepted.filter(({ record }) => record.started_at === null);
  return [...started.toSorted((a, b) => compareTimes(a.record, b.record)), ...waited];
}

/** Only urgent operations may overtake others. */
export function findOvertaking(ordered: readonly Applied[]): string[] {
  const normal = ordered.filter(({ write, record }) => !write.urgent && record.started_at !== null);
  return normal.flatMap(({ record }, i) => {
    const next = normal[i + 1]?.record.operation_id ?? Infinity;
    return next < record.operation_id ? [`operation ${record.operation_id} overtook operation ${next}`] : [];
  });
}

function compareTimes(a: OperationRecord, b: OperationRecord): number {
  const times = ({ started_at: started, finished_at: finished }: OperationRecord) =>
    [Date.parse(started ?? ''), Date.parse(finished ?? '')] as const;
  const [first, second] = [times(a), times(b)];
  return first[0] - second[0] || first[1] - second[1] || a.operation_id - b.operation_id;
}
