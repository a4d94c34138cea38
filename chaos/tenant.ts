// One tenant: writes, aborts, and in the end the comparison with the model.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './client.ts';
import type { Client } from './client.ts';
import { findOvertaking, findOwners, inOrder, withRecords } from './history.ts';
import type { Applied } from './history.ts';
import { applyWrite, compareCatalogs } from './model.ts';
import type { Model } from './model.ts';
import type { Random } from './random.ts';
import { createSender } from './sender.ts';
import type { Kind } from './writes.ts';

export type TenantOptions = Readonly<{
  name: string;
  key: string;
  /** The kind of records that it writes. */
  kind: Kind;
  random: Random;
  maxSize: number;
  urls: () => string[];
}>;

export type Findings = Readonly<{
  operations: number;
  elements: number;
  aborted: number;
  undone: number;
  lost: number;
  faults: string[];
}>;

export type Tenant = Readonly<{
  /** Writes until the signal fires. */
  write(signal: AbortSignal): Promise<void>;
  /** How many operations have finished, or have not. */
  count(isFinished: boolean): Promise<number>;
  check(): Promise<Findings>;
}>;

/** Operations of a tenant that may wait; more would only make the end longer. */
const maxWaiting = 12;

export function createTenant({ name, key, kind, random, maxSize, urls }: TenantOptions): Tenant {
  const client = createClient(key, random, urls);
  const { send, sent, refused, idle } = createSender({ client, kind, random, maxSize });

  async function count(isFinished: boolean): Promise<number> {
    return Number((await client.get(`/ops?is_finished=${isFinished}&limit=1`)).headers.get('x-total-count'));
  }

  return {
    count,
    async write(signal) {
      while (!signal.aborted) {
        await send();
        await sleep(random.between(5, 120));
        while (!signal.aborted && (await count(false)) > maxWaiting) await sleep(100);
      }
    },
    async check() {
      const records = await client.operations();
      const unowned = findOwners(sent, records);
      const { accepted, faults: gone } = withRecords(sent, records);
      const ordered = inOrder(accepted);
      const model: Model = { catalog: new Map(), effects: new Map(), readsAnew: kind.readsAnew };
      const misapplied = await applyAll(client, model, ordered);
      const pictures = await client.pictures(kind);
      const catalog = new Map(pictures);
      const twice = catalog.size === pictures.length ? [] : ['a record is listed twice'];
      const different = compareCatalogs(catalog, model.catalog);
      const changing = idle.filter((operation) => (model.effects.get(operation) ?? []).length > 0);
      const kept = changing.map((operation) => `operation ${operation} has changed something, and is not undone`);
      const overtaking = findOvertaking(ordered);
      const faults = [refused, unowned, gone, overtaking, misapplied, kept, twice, different].flat();
      return {
        operations: records.length,
        elements: records.reduce((sum, { num_total: total }) => sum + total, 0),
        aborted: records.filter((record) => record.is_aborted).length,
        undone: records.filter(({ undoes }) => undoes !== undefined).length,
        lost: sent.filter(({ operation }) => operation === null).length,
        faults: faults.map((fault) => `${name}: ${fault}`),
      };
    },
  };
}

/** Applies all that was accepted to the model. */
async function applyAll(client: Client, model: Model, accepted: readonly Applied[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { write, record } of accepted) {
    const changed = write.action === 'undo' ? await client.changed(write.target) : [];
    faults.push(...applyWrite(model, write, record, changed));
  }
  return faults;
}
