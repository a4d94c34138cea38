import type { ExecutionError, ExecutionResult } from '../lib/http-api.ts';
import type { DocumentName } from './documents.ts';
import type { Proposals } from './proposals.ts';

/** A picture as a tool returns it. */
export type ShownPicture = Readonly<{ type: string; bytes: Buffer }>;

/** The caller of tools: a key, and what it can reach. */
export type ToolCaller = Readonly<{
  /** Runs a document with the rights of the key. */
  execute(document: DocumentName, variables: Readonly<Record<string, unknown>>): Promise<ExecutionResult>;
  /** Reads the picture at an address of the service; null if it cannot be shown. */
  readPreview(address: string): Promise<ShownPicture | null>;
  proposals: Proposals;
  /** The part of a failure that a client may see; the rest is only logged. */
  explain(error: unknown): ExecutionError;
}>;

/** A failure that is reported to the model, with what to do about it. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolError';
  }
}

/** Runs a document. @throws ToolError with the first error and its hint */
export async function dataOf(
  caller: ToolCaller,
  document: DocumentName,
  variables: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await caller.execute(document, variables);
  const [error] = errors ?? [];
  if (error !== undefined || data === null || data === undefined) throw new ToolError(sayError(error));
  return data;
}

/** An error as text: what is wrong, the hint and, for a formula, the position. */
export function sayError(error: ExecutionError | undefined): string {
  if (error === undefined) return 'Nothing was answered';
  const { code, hint, ctx, retryAfter, requiredScope } = error.extensions ?? {};
  const { hint: inner, pointer } = (ctx ?? {}) as Readonly<Record<string, unknown>>;
  const more = [
    [code, `Code: ${String(code)}`],
    [hint ?? inner, `Hint: ${String(hint ?? inner)}`],
    [retryAfter, `Try again after ${String(retryAfter)} seconds.`],
    [requiredScope, `The key lacks the scope ${String(requiredScope)}.`],
    [pointer, String(pointer)],
  ] as const;
  return [error.message, ...more.filter(([value]) => value !== undefined).map(([, text]) => text)].join('\n');
}
