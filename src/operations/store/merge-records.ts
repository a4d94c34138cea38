import type { PoolClient } from 'pg';
import { lockValues, takeOver, writeRecords } from '../../catalog/index.ts';
import type { OwnValues, Resource, Writing } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { excerpt } from '../../lib/excerpt.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { Fault, Ready } from './prepared-chunk.ts';

/**
 * Merges each element into the record that it names, inside the caller's transaction: that one takes over what it lacks,
 * one element after the other, and the element is deleted. An element that cannot be taken over is not deleted.
 *
 * @param missing why an element fails if it is gone
 */
export async function mergeRecords(
  db: TenantDb,
  client: PoolClient,
  writing: Writing,
  ready: readonly Ready[],
  missing: ElementError,
): Promise<ChunkOutcome> {
  const { resource } = writing;
  const ids = new Set(ready.flatMap(({ write: { id, into } }) => (into === undefined ? [id] : [id, into])));
  const values = await lockValues(db, client, resource, [...ids]);
  const taken = new Map<string, OwnValues>();
  const merged: Ready[] = [];
  const faults: Fault[] = [];
  for (const each of ready) {
    const { id, into = '' } = each.write;
    try {
      const [kept, other] = [values.get(into), values.get(id)];
      if (kept === undefined) throw noTarget(resource, into);
      if (other === undefined) throw missing;
      const gained = takeOver(resource, kept, other);
      values.set(into, { ...kept, ...gained });
      taken.set(into, { ...taken.get(into), ...gained });
      merged.push(each);
    } catch (error) {
      if (!(error instanceof ElementError)) throw error;
      faults.push({ position: each.position, ref: id, error });
    }
  }
  const gaining = [...taken].filter(([, gained]) => Object.keys(gained).length > 0);
  const updates = gaining.map(([id, gained]) => ({ id, values: gained, facts: null }));
  if (updates.length > 0) {
    await writeRecords(db, client, { ...writing, action: 'update', respectsLocks: true }, updates);
  }
  const gone = merged.map(({ write: { id } }) => ({ id, values: {}, facts: null }));
  await writeRecords(db, client, { ...writing, action: 'delete' }, gone);
  return { good: merged.length, created: 0, faults, stored: [], met: [] };
}

function noTarget(resource: Resource, into: string): ElementError {
  return new ElementError(
    'not_found',
    `no ${resource} has the id '${excerpt(into, 40)}', into which it is to be merged`,
    'into',
  );
}
