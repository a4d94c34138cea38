import type { PoolClient } from 'pg';
import { lockRecords, meetsVersion, preconditionFailed, takeOver, writeRecords } from '../../catalog/index.ts';
import type { OwnValues, Resource, Writing } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { excerpt } from '../../lib/excerpt.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { Fault, Ready } from './prepared-chunk.ts';

/**
 * Merges each element into the record that it names, inside the caller's transaction: the target takes over the
 * values that it lacks, one element after the other, and the element is deleted. An element that cannot be merged is
 * not deleted.
 *
 * @param missing the error of an element that no longer exists
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
  const records = await lockRecords(db, client, resource, [...ids]);
  const taken = new Map<string, OwnValues>();
  const merged: Ready[] = [];
  const faults: Fault[] = [];
  for (const each of ready) {
    const { id, ifMatch, into = '', intoIfMatch } = each.write;
    try {
      const [kept, other] = [records.get(into), records.get(id)];
      if (kept === undefined) throw noTarget(resource, into, other !== undefined);
      if (other === undefined) throw missing;
      // What an earlier chunk of this operation has merged is not somebody else's change.
      if (!kept.isOwn && !meetsVersion(intoIfMatch, kept.version)) throw changedTarget(into);
      if (!meetsVersion(ifMatch, other.version)) throw preconditionFailed(ifMatch);
      const gained = takeOver(resource, kept.values, other.values);
      records.set(into, { ...kept, values: { ...kept.values, ...gained } });
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

function changedTarget(into: string): ElementError {
  const message = `'${excerpt(into, 40)}', into which it was to be merged, has changed since it was read`;
  return new ElementError('precondition_failed', message, 'into');
}

function noTarget(resource: Resource, into: string, exists: boolean): ElementError {
  const what = `the id '${excerpt(into, 40)}', into which it is to be merged`;
  const message = exists ? `no ${resource} has ${what}` : `no ${resource} has this id, nor ${what}`;
  return new ElementError('not_found', message, 'into');
}
