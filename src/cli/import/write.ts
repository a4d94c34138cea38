import type { Resource } from '../../catalog/index.ts';
import { submitOperation } from '../../operations/index.ts';
import type { OnDuplicate, OperationKindName } from '../../operations/index.ts';
import type { ImportBatch } from '../../tables/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { createAliveCheck } from '../alive-check.ts';
import type { Session } from '../session.ts';
import { waitForStage } from '../stages.ts';
import type { Stages } from '../stages.ts';
import { addFailure } from './summary.ts';
import type { Summary } from './summary.ts';

type WriteOptions = Readonly<{
  existing: 'skip' | 'patch';
  onDuplicate?: OnDuplicate;
  respectLocks?: boolean;
}>;

/** Dependencies of storing a batch: session, summary, progress callback, signal. */
type WriteContext = Readonly<{
  session: Session;
  db: TenantDb;
  options: WriteOptions;
  summary: Summary;
  /** See `ImportSource`. */
  idsFromPlaces: boolean;
  signal: AbortSignal;
  onStages: (stages: Stages) => void;
  /** Stops storing in this process once the work in flight is done, so that the results can be counted. */
  stop: () => Promise<void>;
}>;

/**
 * Stores a batch: creates its records, and patches existing ones if requested. Returns early when the signal fires; the
 * operation continues.
 */
export async function storeBatch(context: WriteContext, batch: ImportBatch): Promise<void> {
  const { options, summary } = context;
  const { resource, elements, places } = batch;
  const created = await write(context, `${resource}s.create`, batch);
  summary.created += created.good;
  const existing = created.errors.filter(({ code }) => code === 'already_exists').map(({ position }) => position);
  for (const { position, code, message } of created.errors) {
    if (code !== 'already_exists')
      addFailure(summary, { id: elements[position]?.id ?? '', place: places[position] ?? '', code, message });
  }
  if (options.existing === 'skip') return skipExisting(context, batch, existing);
  if (existing.length === 0 || context.signal.aborted) return;
  const patches = existing.flatMap((position) => elements[position] ?? []);
  const patched = await write(context, `${resource}s.update`, { ...batch, elements: patches });
  summary.patched += patched.good;
  for (const { position, code, message } of patched.errors) {
    addFailure(summary, {
      id: patches[position]?.id ?? '',
      place: places[existing[position] ?? -1] ?? '',
      code,
      message,
    });
  }
}

/**
 * Counts existing records as skipped, except those whose id belongs to another file: they count as failed, because
 * nothing of them was stored.
 */
async function skipExisting(
  { db, summary, idsFromPlaces }: WriteContext,
  { resource, elements, places }: ImportBatch,
  positions: readonly number[],
): Promise<void> {
  const ids = idsFromPlaces ? positions.flatMap((position) => elements[position]?.id ?? []) : [];
  const paths = ids.length === 0 ? new Map<string, string | null>() : await pathsOf(db, resource, ids);
  for (const position of positions) {
    const element = elements[position];
    const stored = paths.get(element?.id ?? '') ?? null;
    if (element === undefined || stored === null || stored === element.values['srcPath']) {
      summary.skipped += 1;
      continue;
    }
    const message = `the catalog has another file with this id: ${stored}. To store both, use --id-prefix`;
    addFailure(summary, { id: element.id, place: places[position] ?? '', code: 'already_exists', message });
  }
}

/** The paths of stored sources, by the ids of their records. */
async function pathsOf(
  { prisma }: TenantDb,
  resource: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const anyOf = { in: [...ids] };
  if (resource === 'image') {
    const found = await prisma.image.findMany({ where: { imageId: anyOf }, select: { imageId: true, srcPath: true } });
    return new Map(found.map(({ imageId, srcPath }) => [imageId, srcPath]));
  }
  const found = await prisma.video.findMany({ where: { videoId: anyOf }, select: { videoId: true, srcPath: true } });
  return new Map(found.map(({ videoId, srcPath }) => [videoId, srcPath]));
}

type Outcome = Readonly<{ good: number; errors: readonly { position: number; code: string; message: string }[] }>;

/** Submits one operation and waits until everything is stored, however long that takes. */
async function write(
  { session, db, options, summary, signal, onStages, stop }: WriteContext,
  kind: OperationKindName,
  { elements, lang }: ImportBatch,
): Promise<Outcome> {
  const { backing, logger } = session;
  const flags = { wait: false, urgent: false, strict: false, apiKeyId: null };
  const { onDuplicate = null, respectLocks } = options;
  const submission = { kind, elements, ...flags, lang, onDuplicate, respectLocks };
  const id = await submitOperation(db, { queue: backing.queue, logger }, submission);
  summary.operations.push(Number(id));
  const checkAlive = createAliveCheck(backing);
  const stages = await waitForStage(db, [BigInt(id)], 'isStored', {
    signal,
    async onStages(now) {
      onStages(now);
      if (!now.isStored) await checkAlive(now.stored + now.failed);
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
