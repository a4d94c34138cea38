import type { Resource, WriteElement } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { hasLiveWorker, submitOperation } from '../../operations/index.ts';
import type { OnDuplicate, OperationKindName } from '../../operations/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Language } from '../../analysis/index.ts';
import type { Session } from '../session.ts';
import { waitForStage } from '../stages.ts';
import type { Stages } from '../stages.ts';
import { fail } from './summary.ts';
import type { Summary } from './summary.ts';

/** Records of one resource and language that go to one operation, with the places where they stood. */
export type Batch = Readonly<{
  resource: Resource;
  lang: Language | null;
  elements: readonly WriteElement[];
  places: readonly string[];
}>;

export type WriteOptions = Readonly<{
  existing: 'skip' | 'patch';
  onDuplicate?: OnDuplicate;
}>;

/** What stores a batch: where, what is counted, whom to tell of progress, what ends it. */
export type WriteContext = Readonly<{
  session: Session;
  db: TenantDb;
  options: WriteOptions;
  summary: Summary;
  signal: AbortSignal;
  onStages: (stages: Stages) => void;
  /** Ends the storing by this process, after what is in flight, so that it can be counted. */
  stop: () => Promise<void>;
}>;

/** How often is looked whether somebody still works while nothing gets further, in milliseconds. */
const silenceMs = 15_000;

/**
 * Stores a batch: creates its records, and patches those that are there already where that is asked for. Returns
 * early when the signal fires; the operation goes on.
 */
export async function storeBatch(context: WriteContext, batch: Batch): Promise<void> {
  const { options, summary } = context;
  const { resource, elements, places } = batch;
  const created = await write(context, `${resource}s.create`, batch);
  summary.created += created.good;
  const existing = created.errors.filter(({ code }) => code === 'already_exists').map(({ position }) => position);
  for (const { position, code, message } of created.errors) {
    if (code !== 'already_exists')
      fail(summary, { id: elements[position]?.id ?? '', place: places[position] ?? '', code, message });
  }
  if (options.existing === 'skip' || existing.length === 0 || context.signal.aborted) {
    summary.skipped += options.existing === 'skip' ? existing.length : 0;
    return;
  }
  const patches = existing.flatMap((position) => elements[position] ?? []);
  const patched = await write(context, `${resource}s.update`, { ...batch, elements: patches });
  summary.patched += patched.good;
  for (const { position, code, message } of patched.errors) {
    fail(summary, { id: patches[position]?.id ?? '', place: places[existing[position] ?? -1] ?? '', code, message });
  }
}

type Outcome = Readonly<{ good: number; errors: readonly { position: number; code: string; message: string }[] }>;

/** One operation from its submission until everything is stored, however long that takes. */
async function write(
  { session, db, options, summary, signal, onStages, stop }: WriteContext,
  kind: OperationKindName,
  { elements, lang }: Batch,
): Promise<Outcome> {
  const { backing, logger } = session;
  const flags = { wait: false, urgent: false, strict: false, apiKeyId: null };
  const { onDuplicate = null } = options;
  const submission = { kind, elements, ...flags, lang, onDuplicate };
  const id = await submitOperation(db, { queue: backing.queue, logger }, submission);
  summary.operations.push(Number(id));
  const checkAlive = aliveCheck(session, Number(id));
  const stages = await waitForStage(db, [BigInt(id)], 'isStored', {
    signal,
    async onStages(now) {
      onStages(now);
      await checkAlive(now);
    },
  });
  if (!stages.isStored) await stop();
  const { numGood, errors } = await db.prisma.operation.findUniqueOrThrow({
    where: { id },
    include: { errors: { orderBy: { position: 'asc' } } },
  });
  if (!stages.isStored) {
    summary.interrupted = { operation: Number(id), left: stages.total - numGood - errors.length };
  }
  return { good: numGood, errors };
}

/** @returns a check that throws when nothing gets further because nobody works any more. */
function aliveCheck({ backing: { database } }: Session, id: number): (stages: Stages) => Promise<void> {
  let [last, since] = [-1, performance.now()];
  return async ({ stored, failed, isStored }) => {
    const now = performance.now();
    if (stored + failed !== last) [last, since] = [stored + failed, now];
    if (isStored || now - since < silenceMs) return;
    since = now;
    if (await hasLiveWorker(database)) return;
    throw new SetupError(
      `The service that stored the records has ended; ${last} of operation ${id} are stored, the rest waits.\n` +
        'Start it again, or repeat the command to continue.',
    );
  };
}
