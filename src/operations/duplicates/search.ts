import { AppError } from '../../lib/errors.ts';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Logger } from '../../observability/logger.ts';
import { correctWords, readDuplicateCandidates, resolveFormula } from '../../search/index.ts';
import { distancesOf, findEditedGroups, findHashGroups, groupSteps, unrestricted } from '../../similarity/index.ts';
import type { Caller, FoundGroups, ReadCandidates, Thresholds } from '../../similarity/index.ts';
import type { GroupTier, SearchQuery, SimilarityServices } from '../../search/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { AnalysisChunk } from '../analyze/chunk.ts';
import { ChunkLostError } from '../analyze/chunk-lost.ts';
import { endTask } from '../analyze/end-task.ts';
import { markAnalysis } from '../analyze/statements.ts';
import { maxCrashes, maxComparedClosely } from '../limits.ts';
import {
  countSearched,
  failSearch,
  keepGroups,
  keepMembers,
  keepSearch,
  readRequest,
  recordSearch,
} from './statements.ts';

/** The request: search for duplicates among the images that a formula finds. */
type DuplicateRequest = Readonly<{
  q: string;
  lang: SearchQuery['lang'];
  tier: GroupTier;
  mayVerify: boolean;
  timeZone: string | null;
}>;

type SearchContext = SimilarityServices &
  Readonly<{
    db: TenantDb;
    processId: string;
    logger: Logger;
    /** Whether it failed so often that it is given up. */
    isOneByOne: boolean;
    /** Fires when the operation is over, or the worker closes. */
    signal: AbortSignal;
  }>;

/**
 * A search uses one core and holds all hashes of a catalog in memory, so a process runs one at a time, and tenants
 * take turns. Close comparisons take long, so searches by hash do not wait for them.
 */
const turns = {
  byHash: new FairSemaphore({ name: 'searches for duplicates', capacity: 1 }),
  closely: new FairSemaphore({ name: 'close searches for duplicates', capacity: 1 }),
} as const;
/** Minimum time between progress reports. */
const reportEveryMs = 100;
/** Members per statement. */
const batch = 20_000;

/**
 * Searches for duplicates: the second stage of an operation that requests it. It needs no lease, so the tenant's
 * writes continue in the meantime.
 */
export async function searchDuplicates(chunk: AnalysisChunk, context: SearchContext): Promise<void> {
  const { db, signal, processId, isOneByOne } = context;
  if (isOneByOne) return fail(chunk, context, 'internal', 'the search for duplicates failed too often');
  if ((chunk.deaths?.[0] ?? 0) >= maxCrashes) {
    return fail(chunk, context, 'internal', `the service ended ${maxCrashes} times while it searched for duplicates`);
  }
  const request = await requestOf(db, chunk.operationId);
  const work = async () => {
    const { rowCount } = await db.query(markAnalysis, [chunk.operationId, chunk.number, 0, processId]);
    if (rowCount === 0) throw new ChunkLostError();
    try {
      await search(chunk, context, request);
    } catch (error) {
      signal.throwIfAborted();
      // The formula can no longer be evaluated: a saved search has changed, or an image that it refers to is gone.
      if (!(error instanceof AppError)) throw error;
      await fail(chunk, context, 'invalid_field', error.message);
    }
  };
  return turns[request.tier === 'edited' ? 'closely' : 'byHash'].run(db.tenantId, work, signal);
}

async function search(chunk: AnalysisChunk, context: SearchContext, request: DuplicateRequest): Promise<void> {
  const { db, signal } = context;
  const searchQuery = await readDuplicateQuery(db, request, context, unrestricted(signal));
  const thresholds = await distancesOf(db);
  const distance = request.tier === 'near' ? thresholds.near : thresholds.same;
  const read = await readDuplicateCandidates(db, searchQuery, request.tier, signal);
  const report = reporter(chunk, context, read.ids.length);
  await report.now(0);
  const groups = await findGroups(request.tier, read, thresholds, { ...context, ...report });
  await report.ended();
  await keep(chunk, context, { request, distance, ids: read.ids, groups });
}

type Report = Pick<ReturnType<typeof reporter>, 'soon' | 'signal'>;

/** The groups of a tier; `soon` receives the number of images done. */
async function findGroups(
  tier: GroupTier,
  read: ReadCandidates,
  thresholds: Thresholds,
  { db, similar, soon, signal }: SearchContext & Report,
): Promise<FoundGroups> {
  if (tier === 'edited') {
    if (similar === undefined) throw new AppError('not_implemented', 'Similarity search is disabled in this process');
    return findEditedGroups({ db, similar, thresholds, onDone: soon }, read, signal);
  }
  const onStep = (done: number) => soon(Math.floor((read.ids.length * done) / groupSteps));
  return (await findHashGroups({ db, thresholds, distance: thresholds[tier], onStep }, read, signal)).groups;
}

async function requestOf(db: TenantDb, operationId: number): Promise<DuplicateRequest> {
  const { rows } = await db.query<{ elements: readonly { values: DuplicateRequest }[] }>(readRequest, [operationId]);
  const request = rows[0]?.elements[0]?.values;
  if (request === undefined) throw new ChunkLostError(); // The operation is over.
  return request;
}

/** @throws AppError `invalid_argument` if there are too many images to compare closely. */
export function checkReach(tier: GroupTier, count: number): void {
  if (tier !== 'edited' || count <= maxComparedClosely) return;
  const message = `Edited duplicates can be searched among at most ${maxComparedClosely} images, not ${count}`;
  throw new AppError('invalid_argument', message, {
    argument: 'q',
    hint: 'Select fewer images by a formula, or use the tier same.',
  });
}

/** The query for the images to search for duplicates. @throws AppError for an invalid formula. */
export async function readDuplicateQuery(
  db: TenantDb,
  { q, ...options }: Omit<DuplicateRequest, 'tier'>,
  services: SimilarityServices,
  caller: Caller,
): Promise<SearchQuery> {
  return correctWords(db, await resolveFormula(db, q, { resource: 'image', ...options }, services, caller));
}

/** Reports progress, one report at a time. A failed report, or a lost chunk, ends the search. */
function reporter({ operationId }: AnalysisChunk, { db, processId, signal }: SearchContext, count: number) {
  const failed = new AbortController();
  const now = async (done: number) => {
    const { rowCount } = await db.query(recordSearch, [operationId, processId, count, done]);
    if (rowCount === 0) throw new ChunkLostError();
  };
  let last = Promise.resolve();
  let reportedAt = 0;
  return {
    now,
    signal: AbortSignal.any([signal, failed.signal]),
    soon(done: number) {
      if (performance.now() - reportedAt < reportEveryMs) return;
      reportedAt = performance.now();
      last = last.then(() => now(done)).catch((error: unknown) => failed.abort(error));
    },
    ended: () => last,
  };
}

type Found = Readonly<{ request: DuplicateRequest; distance: number; ids: Float64Array; groups: FoundGroups }>;

/** Stores the groups and ends the operation: all or nothing. */
async function keep(
  chunk: AnalysisChunk,
  context: SearchContext,
  { request, distance, ids, groups }: Found,
): Promise<void> {
  const { db, signal } = context;
  const { operationId } = chunk;
  const { starts, members, distances } = groups;
  const numbers = new Int32Array(members.length);
  for (let group = 0; group < starts.length - 1; group += 1) numbers.fill(group + 1, starts[group], starts[group + 1]);
  signal.throwIfAborted();
  await endTask(chunk, context, async (client) => {
    await db.query(keepSearch, [operationId, request.q, request.tier, distance, ids.length], client);
    for (let at = 0; at < members.length; at += batch) {
      const rows = Array.from(members.subarray(at, at + batch), (place) => ids[place]);
      const columns = [[...numbers.subarray(at, at + batch)], rows, [...distances.subarray(at, at + batch)]];
      await db.query(keepMembers, [operationId, ...columns], client);
    }
    await db.query(keepGroups, [operationId], client);
    await db.query(countSearched, [operationId], client);
  });
}

/** Ends a search that cannot be completed. */
function fail(chunk: AnalysisChunk, context: SearchContext, code: string, message: string): Promise<void> {
  const values = [chunk.operationId, code, message];
  return endTask(chunk, context, (client) => context.db.query(failSearch, values, client));
}
