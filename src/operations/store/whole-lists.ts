import type { PoolClient } from 'pg';
import { changeList, isListChange, lockLists, writableFieldsOf } from '../../catalog/index.ts';
import type { Lists, RecordWrite, Resource } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Fault, Ready } from './prepared-chunk.ts';

/**
 * Turns changes of lists into whole lists, based on the current records, which are locked until the caller's
 * transaction ends. An element whose list would become too long fails.
 */
export async function withWholeLists(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  ready: readonly Ready[],
): Promise<Readonly<{ ready: readonly Ready[]; faults: readonly Fault[] }>> {
  const changing = ready.filter(({ write }) => Object.values(write.values).some(isListChange));
  if (changing.length === 0) return { ready, faults: [] };
  const ids = changing.map(({ write }) => write.id);
  const known = await lockLists(db, client, resource, ids);
  const results = ready.map((each) => wholeLists(resource, each, known.get(each.write.id) ?? {}));
  return {
    ready: results.filter((result) => 'write' in result),
    faults: results.filter((result) => 'error' in result),
  };
}

function wholeLists(resource: Resource, ready: Ready, lists: Lists): Ready | Fault {
  const { position, write } = ready;
  const values: Record<string, RecordWrite['values'][string]> = { ...write.values };
  try {
    for (const { name, property } of writableFieldsOf[resource]) {
      const value = values[property];
      if (isListChange(value)) values[property] = changeList(name, lists[property] ?? null, value);
    }
    return { ...ready, write: { ...write, values } };
  } catch (error) {
    if (error instanceof ElementError) return { position, ref: write.id, error };
    throw error;
  }
}
