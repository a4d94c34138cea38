import type { PoolClient } from 'pg';
import { forgetAnalyses, forgetVideoAnalyses, preconditionFailed, writeRecords } from '../../catalog/index.ts';
import type { Resource, Writing } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Fault, PreparedChunk, Ready } from './prepared-chunk.ts';
import { behindSavepoint, isDataFault } from './savepoint.ts';

/** The result of a chunk. */
export type ChunkOutcome = Readonly<{
  good: number;
  created: number;
  faults: readonly Fault[];
  /** Records to analyze. */
  stored: readonly StoredRecord[];
}>;

/** A record that was written, and its position in the request. */
export type StoredRecord = Readonly<{ position: number; id: string }>;

/**
 * Stores a prepared chunk inside the caller's transaction: all in one statement, or element by
 * element with savepoints when the database refuses one of them.
 */
export async function applyChunk(
  db: TenantDb,
  client: PoolClient,
  prepared: PreparedChunk,
  writing: Writing,
  logger: Logger,
): Promise<ChunkOutcome> {
  if (prepared.ready.length === 0) return { good: 0, created: 0, faults: prepared.faults, stored: [] };
  try {
    const together = await store(db, client, prepared.ready, writing);
    return { ...together, faults: [...prepared.faults, ...together.faults] };
  } catch (error) {
    if (!isDataFault(error)) throw error;
    const apart: ChunkOutcome[] = [];
    for (const ready of prepared.ready) apart.push(await storeAlone(db, client, ready, writing, logger));
    return {
      good: apart.reduce((sum, { good }) => sum + good, 0),
      created: apart.reduce((sum, { created }) => sum + created, 0),
      faults: [...prepared.faults, ...apart.flatMap(({ faults }) => faults)],
      stored: apart.flatMap(({ stored }) => stored),
    };
  }
}

async function store(
  db: TenantDb,
  client: PoolClient,
  ready: readonly Ready[],
  writing: Writing,
): Promise<ChunkOutcome> {
  const writes = ready.map(({ write }) => write);
  return behindSavepoint(client, async () => {
    const written = await writeRecords(db, client, writing, writes);
    const missed = ready.filter(({ write }) => !written.ids.has(write.id));
    const error = writing.action === 'create' ? alreadyExists(writing.resource) : notFound(writing.resource);
    const faults = missed.map(({ position, write }) => ({
      position,
      ref: write.id,
      error: write.ifMatch === undefined ? error : preconditionFailed(),
    }));
    const stored = await toAnalyze(db, client, ready, written.ids, writing);
    return { good: written.ids.size, created: written.created.size, faults, stored };
  });
}

const forgetOf = { image: forgetAnalyses, video: forgetVideoAnalyses } as const;

/** The written records to be analyzed; results from a former file are deleted. */
async function toAnalyze(
  db: TenantDb,
  client: PoolClient,
  ready: readonly Ready[],
  written: ReadonlySet<string>,
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
  // A video whose frames cannot be decoded already has that status.
  const visible = renewed.filter(({ write }) => write.facts?.['aiStatus'] !== 'failed');
  const seen = action === 'analyze' ? ready.filter(({ write }) => written.has(write.id)) : visible;
  return aiStatus === null ? [] : seen.map(({ position, write }) => ({ position, id: write.id }));
}

async function storeAlone(
  db: TenantDb,
  client: PoolClient,
  ready: Ready,
  writing: Writing,
  logger: Logger,
): Promise<ChunkOutcome> {
  try {
    return await store(db, client, [ready], writing);
  } catch (error) {
    if (!isDataFault(error)) throw error;
    return { good: 0, created: 0, faults: [toFault(ready.position, ready.write.id, error, logger)], stored: [] };
  }
}

export function toFault(position: number, ref: string, error: unknown, logger: Logger): Fault {
  if (error instanceof ElementError) return { position, ref, error };
  logger.error({ ref, error: String(error) }, 'internal error in an element');
  return { position, ref, error: new ElementError('internal', 'the element could not be stored') };
}

export function alreadyExists(resource: Resource): ElementError {
  return new ElementError('already_exists', `${nouns[resource]} with this id already exists`, 'id');
}

export function notFound(resource: Resource): ElementError {
  return new ElementError('not_found', `no ${resource} has this id`, 'id');
}

const nouns: Readonly<Record<Resource, string>> = { image: 'an image', video: 'a video' };
