// One tenant: writes, aborts, and in the end the comparison with the model.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './client.ts';
import { findOvertaking, findOwners, inOrder, withRecords } from './history.ts';
import type { Sent } from './history.ts';
import { applyWrite, compareCatalogs } from './model.ts';
import type { Picture, Write } from './model.ts';
import type { Random } from './random.ts';
import { randomWrite, signatureOf, toRequest } from './writes.ts';

export type TenantOptions = Readonly<{
  name: string;
  key: string;
  random: Random;
  maxSize: number;
  urls: () => string[];
}>;

export type Findings = Readonly<{
  operations: number;
  elements: number;
  aborted: number;
  lost: number;
  faults: string[];
}>;

export type Tenant = Readonly<{
  /** Writes until the signal fires. */
  write(signal: AbortSignal): Promise<void>;
  /** How many operations have not finished. */
  unfinished(): Promise<number>;
  check(): Promise<Findings>;
}>;

/** Operations of a tenant that may wait; more would only make the end longer. */
const maxWaiting = 12;

export function createTenant({ name, key, random, maxSize, urls }: TenantOptions): Tenant {
  const client = createClient(key, random, urls);
  const sent: Sent[] = [];
  const refused: string[] = [];

  async function unfinished(): Promise<number> {
    return Number((await client.get('/ops?is_finished=false&limit=1')).headers.get('x-total-count'));
  }

  async function send(): Promise<void> {
    const entry: Sent = { write: nextWrite(sent, random, maxSize), operation: null };
    const { method, path, body } = toRequest(entry.write);
    sent.push(entry);
    const answer = await client.request(method, path + (random.chance(0.03) ? '&wait=true' : ''), body);
    if (answer === null) return;
    if (answer.status > 202) refused.push(`${method} ${path} answered ${answer.status}`);
    else entry.operation = (answer.body as { operation_id: number }).operation_id;
    if (random.chance(0.1)) {
      void sleep(random.between(0, 400)).then(() => client.request('DELETE', `/ops/${entry.operation}`));
    }
  }

  return {
    unfinished,
    async write(signal) {
      while (!signal.aborted) {
        await send();
        await sleep(random.between(5, 120));
        while (!signal.aborted && (await unfinished()) > maxWaiting) await sleep(100);
      }
    },
    async check() {
      const records = await client.operations();
      const unowned = findOwners(sent, records);
      const { accepted, faults: gone } = withRecords(sent, records);
      const ordered = inOrder(accepted);
      const model = new Map<string, Picture>();
      const misapplied = ordered.flatMap(({ write, record }) => applyWrite(model, write, record));
      const pictures = await client.pictures();
      const catalog = new Map(pictures);
      const twice = catalog.size === pictures.length ? [] : ['a record is listed twice'];
      const different = compareCatalogs(catalog, model);
      const faults = [refused, unowned, gone, findOvertaking(ordered), misapplied, twice, different].flat();
      return {
        operations: records.length,
        elements: records.reduce((sum, { num_total: total }) => sum + total, 0),
        aborted: records.filter((record) => record.is_aborted).length,
        lost: sent.filter(({ operation }) => operation === null).length,
        faults: faults.map((fault) => `${name}: ${fault}`),
      };
    },
  };
}

/** Looks like no write whose fate is open, so that an operation found later tells which it was. */
function nextWrite(sent: readonly Sent[], random: Random, maxSize: number): Write {
  const known = sent.findLastIndex(({ operation }) => operation !== null);
  const open = new Set(sent.slice(known + 1).map(({ write }) => signatureOf(write)));
  for (;;) {
    const write = randomWrite(random, sent.length, maxSize);
    if (!open.has(signatureOf(write))) return write;
  }
}
