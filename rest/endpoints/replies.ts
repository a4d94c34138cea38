import { refuse } from '../request/refuse.ts';
import type { Input } from './endpoint.ts';
import type { Reply } from '../../src/lib/http-contract.ts';

/** Returns the record that a document found. @throws ReplyError 404 with `detail` if there is none. */
export function found(data: Readonly<Record<string, unknown>>, name: string, detail: string): Reply {
  const body = data[name];
  if (body === null) throw refuse(404, detail);
  return { status: 200, body };
}

/** A record with the requested fields; the version appears only in the entity tag. */
export function withVersion({ status, body }: Reply): Reply {
  const { version, ...record } = body as Readonly<Record<string, unknown>>;
  return { status, body: record, version: String(version) };
}

/** An operation in the form that legacy clients know: `is_dry_run` is omitted if it is false. */
export function operationBody<T extends object>(operation: T): T {
  return (operation as { is_dry_run?: unknown }).is_dry_run === false
    ? { ...operation, is_dry_run: undefined }
    : operation;
}

/** The longest wait that a caller gets, in seconds. */
const maxWait = 120;

/**
 * 202 while the operation is running; otherwise 201 if records were created, else 200.
 *
 * @throws ReplyError 412 if a precondition failed.
 */
export function writeReply(data: Readonly<Record<string, unknown>>, { values, preferWait }: Input): Reply {
  const { __typename, numCreated, ...operation } = data['result'] as Record<string, unknown>;
  const body = operationBody(operation);
  if (hasMetAnother(body)) {
    if (typeof values['If-Match'] === 'string') throw refuse(412, 'The record does not match If-Match', hinted);
    if (typeof values['If-None-Match'] === 'string') throw refuse(412, 'A record with this id exists', { code });
  }
  const isNew = Number(numCreated) > 0 && body['is_dry_run'] !== true;
  const status = __typename === 'PendingOperation' ? 202 : isNew ? 201 : 200;
  if (preferWait === undefined || values['wait'] !== true) return { status, body };
  return { status, body, headers: { 'Preference-Applied': `wait=${Math.min(preferWait, maxWait)}` } };
}

const hint = 'Read it again, and send its new ETag';
const code = 'precondition_failed';
const hinted = { code, hint } as const;

/** Whether the only element of a write failed because its record had been changed in the meantime. */
function hasMetAnother({ errors }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(errors) && errors.some((error: { code?: unknown }) => error.code === code);
}

/** Clamps to the schema's integers, which have 32 bits: no list has pages, and no log events, beyond that. */
export function toInt32(value: unknown): number {
  return Math.min(Number(value), 2 ** 31 - 1);
}

/** Returns -1, which is never a record id, for numbers beyond the range of ids. */
export function toId(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : -1;
}
