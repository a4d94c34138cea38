import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SetupError } from '../../lib/errors.ts';
import { pace } from '../progress.ts';
import type { Progress } from '../progress.ts';
import type { Installation } from './installation.ts';
import { openState } from './state.ts';
import type { MoveState } from './state.ts';

/** Records per request: about 6 MB with their analyses, always less than the limit of a body. */
const pageSize = 500;
const pollMs = 250;
/** Maximum number of failures that are kept for the list. */
const keptFailures = 100;

/** The kinds of records, with their names in the schema. */
const kinds = { images: 'Images', videos: 'Videos' } as const;
type MovedKind = keyof typeof kinds;

type Failure = Readonly<{ ref: string; code: string; msg: string }>;
type Count = { created: number; skipped: number; source: number | null; target: number | null };

/** The results of a move. */
export type Moved = {
  counts: Record<MovedKind, Count>;
  failures: Failure[];
  failed: number;
  isInterrupted: boolean;
  /** Whether nothing failed and the target has at least as many records of each kind. */
  isComplete: boolean;
};

type MoveContext = Readonly<{
  from: Installation;
  to: Installation;
  /** File with the progress of an interrupted move. */
  state: string;
  progress: Progress;
  signal: AbortSignal;
}>;

const count = (): Count => ({ created: 0, skipped: 0, source: null, target: null });

/**
 * Copies all records of one key's tenant to the tenant of the other key, page by page. Existing records are left
 * unchanged, so the move may be repeated; after an interruption, it continues after the last stored page.
 */
export async function moveTenant(context: MoveContext): Promise<Moved> {
  const { from, to, signal, progress } = context;
  const moved: Moved = {
    counts: { images: count(), videos: count() },
    failures: [],
    failed: 0,
    isInterrupted: false,
    isComplete: false,
  };
  const state = await openState(context.state, `${from.url} ${to.url}`);
  try {
    for (const kind of Object.keys(kinds) as MovedKind[]) {
      await moveKind(kind, context, state, moved);
      if (signal.aborted) return { ...moved, isInterrupted: true };
    }
  } finally {
    progress.close();
  }
  for (const kind of Object.keys(kinds) as MovedKind[]) {
    Object.assign(moved.counts[kind], { source: await totalOf(from, kind), target: await totalOf(to, kind) });
  }
  moved.isComplete =
    moved.failed === 0 && Object.values(moved.counts).every(({ source, target }) => (target ?? 0) >= (source ?? 0));
  await state.remove();
  return moved;
}

/** Copies one kind of records; the next page is read while the last one is stored. */
async function moveKind(kind: MovedKind, { from, to, progress, signal }: MoveContext, state: MoveState, moved: Moved) {
  if (state.isDone(kind)) return;
  const total = await totalOf(from, kind);
  const began = performance.now();
  let done = 0;
  let next: Promise<Page> | null = readPage(from, kind, state.cursorOf(kind));
  while (next !== null) {
    const page: Page = await next;
    next = page.cursor === null || signal.aborted ? null : readPage(from, kind, page.cursor);
    next?.catch(() => {}); // It is awaited after the current page is stored.
    if (page.results.length > 0) await storePage(to, kind, page, moved);
    await state.note(kind, page.cursor);
    done += page.results.length;
    const seconds = (performance.now() - began) / 1000;
    progress.show(() => `${kind}: ${done} of ${total}${pace(done, total, seconds)}`);
  }
}

const pageOf = <Name extends string>(name: Name) =>
  z.object({
    [name]: z.object({ results: z.array(z.record(z.string(), z.unknown())), cursor: z.string().nullable() }),
  });
type Page = Readonly<{ results: readonly Readonly<Record<string, unknown>>[]; cursor: string | null }>;

async function readPage(from: Installation, kind: MovedKind, after: string | null): Promise<Page> {
  const name = `analyzed${kinds[kind]}`;
  const document = `query Read($after: String, $limit: Int!) { ${name}(after: $after, limit: $limit) { results cursor } }`;
  const answer = await from.ask(document, { after, limit: pageSize }, pageOf(name));
  return answer[name] as Page;
}

const operation = z.object({
  id: z.number(),
  finishedAt: z.string().nullable(),
  numGood: z.number(),
  errors: z.array(z.object({ ref: z.string(), code: z.string(), msg: z.string() })),
});
type Operation = z.infer<typeof operation>;
const operationFields = 'id finishedAt numGood errors(limit: 500) { ref code msg }';
const written = z.object({ result: z.union([operation, z.object({ operationId: z.number() })]) });

async function storePage(to: Installation, kind: MovedKind, { results }: Page, moved: Moved): Promise<void> {
  const document = `mutation Store($records: [AnalyzedRecord!]!) {
    result: import${kinds[kind]}(records: $records, wait: true, waitSeconds: 120) {
      ... on Operation { ${operationFields} } ... on PendingOperation { operationId }
    }
  }`;
  const { result } = await to.ask(document, { records: results }, written);
  const { numGood, errors } = 'operationId' in result ? await ended(to, result.operationId) : result;
  const counts = moved.counts[kind];
  counts.created += numGood;
  for (const error of errors) {
    if (error.code === 'already_exists') counts.skipped += 1;
    else {
      moved.failed += 1;
      if (moved.failures.length < keptFailures) moved.failures.push(error);
    }
  }
}

/** Waits for the end of an operation, which itself may wait for other operations of the tenant. */
async function ended(to: Installation, id: number): Promise<Operation> {
  const document = `query Follow($id: BigInt!) { operation(id: $id) { ${operationFields} } }`;
  for (;;) {
    const { operation: found } = await to.ask(document, { id }, z.object({ operation: operation.nullable() }));
    if (found === null) throw new SetupError(`${to.url}: operation ${id} is gone`);
    if (found.finishedAt !== null) return found;
    await sleep(pollMs);
  }
}

async function totalOf(installation: Installation, kind: MovedKind): Promise<number> {
  const schema = z.object({ [kind]: z.object({ count: z.number() }) });
  const answer = await installation.ask(`{ ${kind}(limit: 1) { count } }`, {}, schema);
  return answer[kind]?.count ?? 0;
}
