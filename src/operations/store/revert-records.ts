import type { PoolClient } from 'pg';
import { applyReversals, findAt, findBefore, planReversals } from '../../catalog/index.ts';
import type { Conflict, Resource, Reversal } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { Fault, Ready } from './prepared-chunk.ts';

/**
 * Reverts elements inside the caller's transaction: to their state before an operation, or at a given time. Fields
 * that others have changed since are left alone and make the element fail; the other fields are reverted.
 */
export async function revertRecords(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  ready: readonly Ready[],
): Promise<ChunkOutcome> {
  const planned = [
    ...(await planUndo(db, client, resource, ready)),
    ...(await planRestore(db, client, resource, ready)),
  ];
  const reverted = await applyReversals(db, client, resource, planned);
  const byId = groupBy(planned, ({ id }) => id);
  const faults = ready.flatMap(({ position, write }): Fault[] => {
    const error = errorOf(resource, byId.get(write.id) ?? []);
    return error === null ? [] : [{ position, ref: write.id, error }];
  });
  const failed = new Set(faults.map(({ position }) => position));
  const positions = new Map(ready.map(({ position, write }) => [write.id, position]));
  return {
    good: ready.length - faults.length,
    created: planned.filter(({ act }) => act === 'insert').length,
    faults,
    // A record that was not yet analyzed when it was deleted or replaced still needs analysis.
    stored: reverted.flatMap(({ id, aiStatus }) => {
      const position = positions.get(id);
      return aiStatus === 'pending' && position !== undefined ? [{ position, id }] : [];
    }),
    met: ready.flatMap(({ position, write: { id } }) => {
      const [first, ...others] = byId.get(id) ?? [];
      const isUnchanged = first?.act === 'none' && others.every(({ act }) => act === 'none');
      return isUnchanged && !failed.has(position) ? [{ position, ref: id, row: first.row }] : [];
    }),
  };
}

async function planUndo(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  ready: readonly Ready[],
): Promise<Reversal[]> {
  const elements = ready.flatMap(({ write: { id, revert } }) =>
    revert !== undefined && 'operation' in revert ? [{ id, ...revert }] : [],
  );
  const [first] = elements;
  if (first === undefined) return [];
  const found = await findBefore(db, client, resource, first.operation, elements);
  return planReversals(resource, found, first.onConflict);
}

async function planRestore(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  ready: readonly Ready[],
): Promise<Reversal[]> {
  const planned: Reversal[] = [];
  for (const {
    write: { id, revert },
  } of ready) {
    // prettier-ignore
    if (revert === undefined || !('at' in revert)) continue;
    const found = await findAt(db, client, resource, { id, at: revert.at });
    planned.push(...planReversals(resource, found, 'overwrite'));
  }
  return planned;
}

/** Why an element was not reverted, or not completely. */
function errorOf(resource: Resource, reversals: readonly Reversal[]): ElementError | null {
  if (reversals.length === 0) return new ElementError('not_found', `no ${resource} had this id then`, 'id');
  const conflicts = reversals.flatMap((reversal) => reversal.conflicts);
  const [first] = conflicts;
  if (first === undefined) return null;
  const others = conflicts.slice(1).map(({ field }) => field);
  const more = others.length === 0 ? '' : `; so were ${others.join(', ')}`;
  return new ElementError('conflict', `${describe(resource, first)}${more}`, first.field);
}

function describe(resource: Resource, { field, reason, since }: Conflict): string {
  const what = {
    changed: `${field} was changed since then`,
    deleted: `the ${resource} was deleted since then`,
    taken: `another ${resource} has taken this id since then`,
  }[reason];
  if (since === null) return what;
  const by = since.operation === null ? '' : ` by operation ${since.operation}`;
  const key = since.key === null ? '' : ` of key '${since.key}'`;
  return `${what}${by}${key}, ${new Date(since.at).toISOString()}`;
}
