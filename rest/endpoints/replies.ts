import { refuse } from '../problems.ts';
import type { Input } from '../endpoint.ts';
import type { Reply } from '../problems.ts';

/** The record that a document found. @throws ReplyError 404 with `detail` where there is none. */
export function found(data: Readonly<Record<string, unknown>>, name: string, detail: string): Reply {
  const body = data[name];
  if (body === null) throw refuse(404, detail);
  return { status: 200, body };
}

/** The longest wait that a caller gets, in seconds. */
const maxWait = 120;

/** 202 while the operation goes on; else 201 where something is new, 200 otherwise. */
export function writeReply(data: Readonly<Record<string, unknown>>, { values, preferWait }: Input): Reply {
  const { __typename, numCreated, ...body } = data['result'] as Record<string, unknown>;
  const status = __typename === 'PendingOperation' ? 202 : Number(numCreated) > 0 ? 201 : 200;
  if (preferWait === undefined || values['wait'] !== true) return { status, body };
  return { status, body, headers: { 'Preference-Applied': `wait=${Math.min(preferWait, maxWait)}` } };
}

/** The schema's integers have 32 bits; every page beyond is too deep anyway. */
export function toPage(value: unknown): number {
  return Math.min(Number(value), 2 ** 31 - 1);
}

/** A number beyond what an id can be is the id of nothing. */
export function toId(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : -1;
}
