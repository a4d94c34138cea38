import { ReplyError } from '../../src/lib/http-contract.ts';
import type { Problem } from '../../src/lib/http-contract.ts';

/** 422 with the faults of a request; `omitted` says how many are not listed. */
export function invalid(
  { listed, count }: Readonly<{ listed: readonly Problem[]; count: number }>,
  hint: string | null = null,
): ReplyError {
  const omitted = count - listed.length;
  const body = { detail: listed, ...(omitted > 0 && { omitted }) };
  return new ReplyError({ status: 422, body, ...(hint !== null && { problem: { hint } }) });
}

/** A reply of this status that says why in words. */
export function refuse(status: number, detail: string, more: Readonly<Record<string, unknown>> = {}): ReplyError {
  return new ReplyError({ status, body: { detail, ...more } });
}
