// What one tenant sends: writes and undos, chosen at random, and what became of each.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from './client.ts';
import type { Sent } from './history.ts';
import type { OperationRecord, Write } from './model.ts';
import type { Random } from './random.ts';
import { randomUndo, randomWrite, signatureOf, toRequest } from './writes.ts';
import type { Kind } from './writes.ts';

export type SenderOptions = Readonly<{ client: Client; kind: Kind; random: Random; maxSize: number }>;

export type Sender = Readonly<{
  /** Sends one write; it may be aborted a little later. */
  send(): Promise<void>;
  sent: readonly Sent[];
  /** Answers that nobody should get. */
  refused: readonly string[];
  /** Operations of which the service says that they have changed nothing that could be undone. */
  idle: readonly number[];
}>;

/** How much of what it sends undoes one of its last operations, undos included. */
const undoShare = 0.5;
const undoable = 100;

export function createSender({ client, kind, random, maxSize }: SenderOptions): Sender {
  const sent: Sent[] = [];
  const refused: string[] = [];
  const idle: number[] = [];
  let count = 0;

  async function send(): Promise<void> {
    const entry: Sent = { write: nextWrite(random.chance(undoShare) ? await ended() : []), operation: null };
    const { method, path, body } = toRequest(kind, entry.write);
    sent.push(entry);
    const answer = await client.request(method, path + (random.chance(0.03) ? '&wait=true' : ''), body);
    if (answer === null) return;
    if (answer.status > 202) return refuse(entry, answer);
    entry.operation = (answer.body as { operation_id: number }).operation_id;
    if (random.chance(0.1)) {
      void sleep(random.between(0, 400)).then(() => client.request('DELETE', `/ops/${entry.operation}`));
    }
  }

  /** Its last operations that have ended and done something, of those that answers named. */
  async function ended(): Promise<number[]> {
    const { body } = await client.get(`/ops?is_finished=true&limit=${undoable}`);
    const known = new Set(sent.map(({ operation }) => operation));
    const useful = (body as OperationRecord[]).filter(({ num_good: good }) => good > 0);
    return useful.map(({ operation_id: id }) => id).filter((id) => known.has(id));
  }

  /** What has not ended, or has changed nothing, cannot be undone. */
  function refuse(entry: Sent, { status, body }: Answer): void {
    const said = JSON.stringify(body);
    const isIdle = said.includes('changed nothing');
    if (entry.write.action !== 'undo' || status !== 422 || !(isIdle || said.includes('is not finished'))) {
      refused.push(`${entry.write.action} was answered by ${status}: ${said}`);
      return;
    }
    sent.splice(sent.indexOf(entry), 1);
    if (isIdle) idle.push(entry.write.target);
  }

  /** Differs from every write whose fate is open, so that an operation found later can be assigned to one. */
  function nextWrite(targets: readonly number[]): Write {
    const known = sent.findLastIndex(({ operation }) => operation !== null);
    const open = new Set(sent.slice(known + 1).map(({ write }) => signatureOf(write)));
    for (;;) {
      const target = random.chance(0.9) ? targets[random.between(0, targets.length - 1)] : undefined;
      const write =
        target === undefined ? randomWrite(random, kind, (count += 1), maxSize) : randomUndo(random, target);
      if (!open.has(signatureOf(write))) return write;
    }
  }

  return { send, sent, refused, idle };
}
