import type { PoolClient } from 'pg';
import {
  forgetAnalyses,
  forgetVideoAnalyses,
  keepCarriedAnalyses,
  knownModelIds,
  preconditionFailed,
  writeRecords,
} from '../../catalog/index.ts';
import type { RecordWrite, Resource, WriteAction, Writing, Written } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { useUploads } from '../../uploads/index.ts';
import { combine } from './chunk-outcome.ts';
import type { ChunkOutcome, MatchedRecord, StoredRecord } from './chunk-outcome.ts';
import { mergeRecords } from './merge-records.ts';
import type { Fault, PreparedChunk, Ready } from './prepared-chunk.ts';
import { purgeChunk } from './purge-chunk.ts';
import { revertRecords } from './revert-records.ts';
import { behindSavepoint, isOfElement } from './savepoint.ts';
import { withWholeLists } from './whole-lists.ts';

/** Dependencies and settings for storing a chunk, besides the database. */
export type ApplyDeps = Readonly<{
  logger: Logger;
  /**
   * Whether any error but an unavailable database only fails its element, because storing the chunk as a whole kept
   * failing.
   */
  isOneByOne?: boolean;
  /** Whether the whole chunk fails if the database refuses one of its elements. */
  isWhole?: boolean;
}>;

/**
 * Stores a prepared chunk inside the caller's transaction: all of it in one statement or, if the database refuses an
 * element, one by one with savepoints.
 */
export async function applyChunk(
  db: TenantDb,
  client: PoolClient,
  prepared: Pick<PreparedChunk, 'ready' | 'faults'>,
  writing: Writing,
  deps: ApplyDeps,
): Promise<ChunkOutcome> {
  if (prepared.ready.length === 0) return { ...nothing, faults: prepared.faults };
  try {
    const together = await store(db, client, prepared.ready, writing);
    return { ...together, faults: [...prepared.faults, ...together.faults] };
  } catch (error) {
    if (deps.isWhole === true || !isOfElement(error, deps.isOneByOne ?? false)) throw error;
    const outcomes: ChunkOutcome[] = [];
    for (const ready of prepared.ready) outcomes.push(await storeAlone(db, client, ready, writing, deps));
    return combine([{ ...nothing, faults: prepared.faults }, ...outcomes]);
  }
}

const nothing: ChunkOutcome = { good: 0, created: 0, faults: [], stored: [], met: [] };

async function store(
  db: TenantDb,
  client: PoolClient,
  asked: readonly Ready[],
  writing: Writing,
): Promise<ChunkOutcome> {
  const { resource, action } = writing;
  return behindSavepoint(client, async () => {
    if (action === 'revert') return withoutAnalysis(writing, await revertRecords(db, client, resource, asked));
    if (action === 'purge') return purgeChunk(db, client, resource, asked, notFound(resource));
    if (action === 'merge') return mergeRecords(db, client, writing, asked, notFound(resource));
    const { ready, faults: refused } = await withWholeLists(db, client, resource, asked);
    const writes = ready.map(({ write }) => write);
    const written = await writeRecords(db, client, { ...writing, action: actionOf(action, writes) }, writes);
    const missed = ready.filter(({ write }) => !written.rows.has(write.id));
    const error = writing.action === 'create' ? alreadyExists(writing.resource) : notFound(writing.resource);
    const faults = missed.map(({ position, write }) => ({
      position,
      ref: write.id,
      error: write.ifMatch === undefined ? error : preconditionFailed(write.ifMatch),
    }));
    await keepCarried(db, client, ready, written.rows, resource);
    await useUploads(db, client, sourcesOf(ready, written.rows));
    const stored = await toAnalyze(db, client, ready, written.rows, writing);
    return {
      good: written.rows.size,
      created: written.created.size,
      faults: [...refused, ...faults],
      stored,
      met: matchedBy(ready, written, writing),
    };
  });
}

/**
 * A conditional write that requires that the record does not exist creates it. Such a write is alone in its
 * operation.
 */
function actionOf<T extends WriteAction>(action: T, writes: readonly RecordWrite[]): T | 'create' {
  return writes.every(({ ifMatch }) => ifMatch === 'absent') ? 'create' : action;
}

/** The paths of the files that the written records now have. */
function sourcesOf(ready: readonly Ready[], rows: ReadonlyMap<string, number>): string[] {
  return ready.flatMap(({ write: { id, values } }) => {
    const path = values['srcPath'];
    return rows.has(id) && typeof path === 'string' ? [path] : [];
  });
}

/** Tenants can switch analysis off. */
function withoutAnalysis({ aiStatus }: Writing, outcome: ChunkOutcome): ChunkOutcome {
  return aiStatus === null ? { ...outcome, stored: [] } : outcome;
}

function matchedBy(ready: readonly Ready[], { rows, created }: Written, { action }: Writing): MatchedRecord[] {
  if (action === 'delete') return [];
  return ready.flatMap(({ position, write: { id } }) => {
    const row = rows.get(id);
    return row === undefined || created.has(id) ? [] : [{ position, ref: id, row }];
  });
}

/** Stores the analyses that new records bring along. The ids of their models are known since the chunk was prepared. */
async function keepCarried(
  db: TenantDb,
  client: PoolClient,
  ready: readonly Ready[],
  rows: ReadonlyMap<string, number>,
  resource: Resource,
): Promise<void> {
  const carried = ready.flatMap(({ write: { id, analysis } }) => {
    const row = rows.get(id);
    return analysis === undefined || row === undefined ? [] : [{ row, analysis }];
  });
  if (carried.length === 0) return;
  const models = knownModelIds(db);
  await keepCarriedAnalyses(db, client, resource, carried, models);
}

const forgetOf = { image: forgetAnalyses, video: forgetVideoAnalyses } as const;

/** The written records to be analyzed; also deletes results of a previous file. */
async function toAnalyze(
  db: TenantDb,
  client: PoolClient,
  ready: readonly Ready[],
  written: ReadonlyMap<string, number>,
  { resource, action, aiStatus }: Writing,
): Promise<StoredRecord[]> {
  const renewed = ready.filter(({ write }) => write.facts !== null && written.has(write.id));
  if (action !== 'create' && renewed.length > 0) {
    await forgetOf[resource](
      db,
      client,
      renewed.map(({ write }) => write.id),
    );
  }
  const seen = action === 'analyze' ? ready.filter(({ write }) => written.has(write.id)) : renewed;
  return aiStatus === null ? [] : seen.map(({ position, write }) => ({ position, id: write.id }));
}

async function storeAlone(
  db: TenantDb,
  client: PoolClient,
  ready: Ready,
  writing: Writing,
  deps: ApplyDeps,
): Promise<ChunkOutcome> {
  try {
    return await store(db, client, [ready], writing);
  } catch (error) {
    if (!isOfElement(error, deps.isOneByOne ?? false)) throw error;
    return { ...nothing, faults: [toFault(ready.position, ready.write.id, error, deps.logger)] };
  }
}

export function toFault(position: number, ref: string, error: unknown, logger: Logger): Fault {
  if (error instanceof ElementError) return { position, ref, error };
  const cause = error instanceof Error ? error.stack : String(error);
  logger.error({ ref, error: cause }, 'internal error in an element');
  return { position, ref, error: new ElementError('internal', 'the element could not be stored') };
}

export function alreadyExists(resource: Resource): ElementError {
  return new ElementError('already_exists', `${nouns[resource]} with this id already exists`, 'id');
}

export function notFound(resource: Resource): ElementError {
  return new ElementError('not_found', `no ${resource} has this id`, 'id');
}

const nouns: Readonly<Record<Resource, string>> = { image: 'an image', video: 'a video' };
