import { ReplyError } from '../../src/lib/http-contract.ts';
import type { Problem } from '../../src/lib/http-contract.ts';

/** A 422 reply with the faults of a request; `omitted` is the number of faults that are not listed. */
export function invalid(
  { listed, count }: Readonly<{ listed: readonly Problem[]; count: number }>,
  hint: string | null = null,
): ReplyError {
  const omitted = count - listed.length;
  const body = { detail: listed, ...(omitted > 0 && { omitted }) };
  return new ReplyError({ status: 422, body, ...(hint !== null && { problem: { hint } }) });
}

/** A reply with this status and a message that says why. */
export function refuse(status: number, detail: string, more: Readonly<Record<string, unknown>> = {}): ReplyError {
  return new ReplyError({ status, body: { detail, ...more } });
}
