import type { FailureFragment, OperationRowFragment } from '../api/documents.ts';
import { formulaOfIds } from '../edit/formula-of-ids.ts';

/**
 * Elements that failed for the same reason: the service's message about the first one, and whether it is the same for
 * all.
 */
export type FailureGroup = Pick<FailureFragment, 'code' | 'field' | 'message'> &
  Readonly<{ ids: readonly string[]; isSaidOfAll: boolean }>;

/** Failures of an operation, by their reasons; the most frequent first. */
export function groupFailures(failures: readonly FailureFragment[]): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { code, field, message, ref } of failures) {
    const key = JSON.stringify([code, field]);
    const { ids, ...first } = groups.get(key) ?? { code, field, message, ids: [], isSaidOfAll: true };
    groups.set(key, {
      ...first,
      ids: [...ids, ref],
      isSaidOfAll: first.isSaidOfAll && first.message === message,
    });
  }
  return [...groups.values()].toSorted((a, b) => b.ids.length - a.ids.length);
}

/** Maximum number of ids in one formula, and of characters in them. */
const [mostIds, mostCharacters] = [100, 4_000];

/** A formula that finds records of a group, with the number of records that it names; null if there are none. */
export function formulaOfGroup(
  { code, ids }: FailureGroup,
  method: OperationRowFragment['method'],
): Readonly<{ q: string; count: number }> | null {
  // If creating failed, there is no record, unless it already existed.
  if (code === 'not_found' || (method === 'add' && code !== 'already_exists')) return null;
  const named = ids.slice(0, mostIds);
  while (named.length > 1 && formulaOfIds(named).length > mostCharacters) named.pop();
  return { q: formulaOfIds(named), count: named.length };
}

/**
 * Number of elements that failed to be created because their records already existed: in a repeated import, there is
 * nothing to fix.
 */
export function existingIn({ method, errorCounts }: Pick<OperationRowFragment, 'method' | 'errorCounts'>): number {
  if (method !== 'add') return 0;
  return errorCounts.find(({ code }) => code === 'already_exists')?.count ?? 0;
}
