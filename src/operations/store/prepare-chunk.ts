import pLimit from 'p-limit';
import {
  admittedModelIds,
  checkAddressable,
  checkElement,
  existingRecords,
  preconditionFailed,
} from '../../catalog/index.ts';
import type { CarriedAnalysis, Resource, WriteAction } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { OnDuplicate } from '../duplicates/on-duplicate.ts';
import { maxCrashes } from '../limits.ts';
import { isPersistent } from '../run/patience.ts';
import { alreadyExists, notFound, toFault } from './apply-chunk.ts';
import { checkCarried, modelsIn } from './check-carried.ts';
import type { StoreLimits } from './limits.ts';
import type { Fault, PreparedChunk, Ready } from './prepared-chunk.ts';
import { readFacts } from './read-facts.ts';
import type { WriteDeps } from './read-facts.ts';
import { readChunk } from './payload.ts';
import type { AcceptedElement, StoredElement } from './payload.ts';

/** A chunk as the worker reads it. */
export type Chunk = Readonly<{
  number: number;
  firstPosition: number;
  elements: readonly StoredElement[];
  /** Number of processes that died while trying each element, by its position; null if none did. */
  deaths: Readonly<Record<string, number>> | null;
}>;

type ChunkOptions = Readonly<{
  resource: Resource;
  action: WriteAction;
  strict: boolean;
  onDuplicate: OnDuplicate;
  signal: AbortSignal;
  limits: StoreLimits;
  /** Commits a mark of which element is being tried; null for none. */
  mark: (position: number | null) => Promise<void>;
}>;

/** Runs work that touches the source of the element at `position`. */
type Attempt = <T>(position: number, work: () => Promise<T>) => Promise<T>;

/** Setting the mark failed, which is no fault of the element. */
class MarkError extends Error {}

/**
 * Does everything that needs no transaction: validates elements, and reads and decodes sources, in parallel. The id
 * of an element is looked up first, so that no source is read for an element that cannot succeed.
 */
export async function prepareChunk(
  db: TenantDb,
  chunk: Chunk,
  deps: WriteDeps,
  options: ChunkOptions,
): Promise<PreparedChunk> {
  const { resource, action, strict, signal } = options;
  const existing = await existingRecords(
    db,
    resource,
    chunk.elements.map(({ id }) => id.replaceAll('\0', '')),
  );
  const slice = new TimeSlice(db.tenantId);
  const attempt = chunk.deaths === null ? atOnce : oneByOne(chunk.deaths, options);

  async function prepare(element: AcceptedElement, position: number): Promise<Ready | Fault> {
    try {
      if (element.isDuplicate) throw new ElementError('duplicate_in_batch', 'an earlier element has this id', 'id');
      const { fault } = element;
      if (fault !== undefined) throw new ElementError(fault.code, fault.message, fault.field);
      const checked = checkElement(resource, action, element, strict);
      const exists = existing.has(checked.id);
      if (element.ifMatch !== undefined && exists === (element.ifMatch === 'absent')) {
        throw preconditionFailed(element.ifMatch);
      }
      checkExistence(options, checked.id, exists);
      const { ifMatch, revert, into, intoIfMatch } = element;
      if (element.analysis !== undefined) {
        if (slice.isOver) await slice.pause();
        const analysis = await carriedOf(db, options, element.analysis, deps);
        return { position, write: { id: checked.id, values: checked.values, facts: null, analysis } };
      }
      const read = await attempt(position, () => readFacts(resource, db.tenantId, checked, deps, options));
      const facts = read?.facts ?? null;
      const write = { id: checked.id, values: checked.values, facts, ifMatch, revert, into, intoIfMatch };
      return { position, write, fingerprint: read?.fingerprint ?? null };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof MarkError) throw error.cause;
      if (!isPersistent(error)) throw error; // Not the element's fault: the chunk is tried again.
      return toFault(position, element.id, error, deps.logger);
    }
  }

  const results = await Promise.all(
    readChunk(chunk.elements).map((element, index) => prepare(element, chunk.firstPosition + index)),
  );
  if (chunk.deaths !== null) await options.mark(null);
  return {
    number: chunk.number,
    ready: results.filter((result) => 'write' in result),
    faults: results.filter((result) => 'error' in result),
  };
}

/** The analysis that a new record brings along in place of a source to read. @throws ElementError if it is invalid */
async function carriedOf(
  db: TenantDb,
  { resource, action }: Target,
  stated: unknown,
  { imageAnalyzer }: WriteDeps,
): Promise<CarriedAnalysis> {
  if (action !== 'create') throw new ElementError('invalid_field', 'only a new record takes an analysis', 'analysis');
  const analysis = checkCarried(resource, stated, imageAnalyzer.signature);
  const names = modelsIn(analysis);
  const models = names.length === 0 ? null : await admittedModelIds(db, names);
  const unknown = names.find((name) => models?.has(name) !== true);
  if (unknown === undefined) return analysis;
  throw new ElementError('invalid_field', `analysis: there are too many models to add '${unknown}'`, 'analysis');
}

const atOnce: Attempt = (_position, work) => work();

/**
 * Handles a chunk on which a process has died, perhaps because of one of its pictures: one element at a time, each
 * marked before it is touched, so that the next death identifies it.
 */
function oneByOne(
  deaths: Readonly<Record<string, number>>,
  { limits, mark, signal }: Pick<ChunkOptions, 'limits' | 'mark' | 'signal'>,
): Attempt {
  const alone = pLimit(1);
  const set = async (position: number) => {
    await mark(position).catch((cause: unknown) => {
      throw new MarkError('cannot mark the element', { cause });
    });
  };
  return (position, work) => {
    const count = deaths[position] ?? 0;
    if (count >= maxCrashes) throw gaveUp();
    const attempt = () =>
      alone(async () => {
        signal.throwIfAborted();
        await set(position);
        return work();
      });
    // If suspects of two tenants ran at the same time, both would be blamed for what one of them did.
    return count === 0 ? attempt() : limits.suspects(attempt);
  };
}

function gaveUp(): ElementError {
  return new ElementError(
    'internal',
    `the service ended ${maxCrashes} times while it processed this picture; it is not retried`,
  );
}

type Target = Pick<ChunkOptions, 'resource' | 'action'>;

/** Only new ids have to be allowed ones: existing records may have ids that no longer are. */
function checkExistence({ resource, action }: Target, id: string, exists: boolean): void {
  if (action === 'revert' || action === 'purge') return; // Depends on records that had this id before.
  if (action === 'merge') return; // Merging checks this itself, along with the other record.
  const mayCreate = action === 'create' || action === 'upsert';
  if (action === 'create' && exists) throw alreadyExists(resource);
  if (!mayCreate && !exists) throw notFound(resource);
  if (!exists) checkAddressable(resource, id);
}
