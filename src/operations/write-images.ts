import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import type { PoolClient } from 'pg';
import { checkElement, existingImages, writeImages } from '../catalog/index.ts';
import type { CheckedElement, ImageWrite, SourceReader, WriteAction } from '../catalog/index.ts';
import { ElementError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { TenantDb } from '../tenants/index.ts';
import { decodeImage } from '../vision/index.ts';
import { parallelReads } from './limits.ts';
import type { StoredElement } from './submit.ts';

/** Why an element failed, where in the request it stood, and the id it was sent with. */
export type Fault = Readonly<{ position: number; ref: string; error: ElementError }>;

/** An element that is ready to be stored. */
type Ready = Readonly<{ position: number; write: ImageWrite }>;

/** A chunk whose sources are read: what can be stored and what has failed already. */
export type PreparedChunk = Readonly<{
  number: number;
  size: number;
  ready: readonly Ready[];
  faults: readonly Fault[];
}>;

/** What became of a chunk. */
export type ChunkOutcome = Readonly<{ good: number; created: number; faults: readonly Fault[] }>;

export type Chunk = Readonly<{ number: number; firstPosition: number; elements: readonly StoredElement[] }>;

/** What writing images needs besides the database. */
export type ImageWriteDeps = Readonly<{ readSource: SourceReader; workers: number; logger: Logger }>;

/** How many sources of one operation are read and decoded at the same time. */
export type Limits = Readonly<{ reading: LimitFunction; decoding: LimitFunction }>;

export function createLimits({ workers }: ImageWriteDeps): Limits {
  // Two decodings a core: while one works, the other's bytes and result travel between threads.
  return { reading: pLimit(parallelReads), decoding: pLimit(2 * workers) };
}

export type ChunkOptions = Readonly<{ action: WriteAction; strict: boolean; signal: AbortSignal; limits: Limits }>;

/**
 * Everything that needs no transaction: checks meanings, reads and decodes sources, in parallel. An
 * element that cannot succeed costs no source: its id is looked up first.
 */
export async function prepareChunk(
  db: TenantDb,
  chunk: Chunk,
  deps: ImageWriteDeps,
  { action, strict, signal, limits }: ChunkOptions,
): Promise<PreparedChunk> {
  const existing = await existingImages(
    db,
    chunk.elements.map(({ id }) => id.replaceAll('\0', '')),
  );
  const results = await Promise.all(
    chunk.elements.map(async (element, index) => {
      const position = chunk.firstPosition + index;
      try {
        if (element.isDuplicate) throw new ElementError('duplicate_in_batch', 'an earlier element has this id', 'id');
        const checked = checkElement(action, element, strict);
        checkExistence(action, existing.has(checked.id));
        const facts = await readFacts(checked, deps, limits, signal);
        return { position, write: { id: checked.id, values: checked.values, facts } };
      } catch (error) {
        signal.throwIfAborted();
        return toFault(position, element.id, error, deps.logger);
      }
    }),
  );
  return {
    number: chunk.number,
    size: chunk.elements.length,
    ready: results.filter((result) => 'write' in result),
    faults: results.filter((result) => 'error' in result),
  };
}

function checkExistence(action: WriteAction, exists: boolean): void {
  if (action === 'create' && exists) throw alreadyExists();
  if (action !== 'create' && action !== 'upsert' && !exists) throw notFound();
}

async function readFacts(
  { source }: CheckedElement,
  { readSource }: ImageWriteDeps,
  { reading, decoding }: Limits,
  signal: AbortSignal,
): Promise<ImageWrite['facts']> {
  if (source === null) return null;
  // Decoding is inside the reading: bytes that wait for a decoder count as being read.
  return reading(async () => {
    signal.throwIfAborted();
    const bytes = await readSource(source, signal);
    return decoding(() => decodeImage(bytes));
  });
}

/**
 * Stores a prepared chunk inside the caller's transaction: all in one statement, or element by
 * element behind savepoints when the database refuses one of them.
 */
export async function applyChunk(
  db: TenantDb,
  client: PoolClient,
  prepared: PreparedChunk,
  { action, lang }: Readonly<{ action: WriteAction; lang: string | null }>,
  logger: Logger,
): Promise<ChunkOutcome> {
  if (prepared.ready.length === 0) return { good: 0, created: 0, faults: prepared.faults };
  try {
    const together = await store(db, client, prepared.ready, action, lang);
    return { ...together, faults: [...prepared.faults, ...together.faults] };
  } catch (error) {
    if (!isDataFault(error)) throw error;
    const apart: ChunkOutcome[] = [];
    for (const ready of prepared.ready) apart.push(await storeAlone(db, client, ready, action, lang, logger));
    return {
      good: apart.reduce((sum, { good }) => sum + good, 0),
      created: apart.reduce((sum, { created }) => sum + created, 0),
      faults: [...prepared.faults, ...apart.flatMap(({ faults }) => faults)],
    };
  }
}

async function store(
  db: TenantDb,
  client: PoolClient,
  ready: readonly Ready[],
  action: WriteAction,
  lang: string | null,
): Promise<ChunkOutcome> {
  await client.query('SAVEPOINT elements');
  try {
    const written = await writeImages(
      db,
      client,
      action,
      ready.map(({ write }) => write),
      lang,
    );
    const missed = ready.filter(({ write }) => !written.ids.has(write.id));
    const error = action === 'create' ? alreadyExists() : notFound();
    const faults = missed.map(({ position, write }) => ({ position, ref: write.id, error }));
    await client.query('RELEASE SAVEPOINT elements');
    return { good: written.ids.size, created: written.created.size, faults };
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT elements');
    throw error;
  }
}

async function storeAlone(
  db: TenantDb,
  client: PoolClient,
  ready: Ready,
  action: WriteAction,
  lang: string | null,
  logger: Logger,
): Promise<ChunkOutcome> {
  try {
    return await store(db, client, [ready], action, lang);
  } catch (error) {
    if (!isDataFault(error)) throw error;
    return { good: 0, created: 0, faults: [toFault(ready.position, ready.write.id, error, logger)] };
  }
}

/** PostgreSQL's classes 22 (data), 23 (constraints) and 54 (limits) are one element's fault. */
function isDataFault(error: unknown): boolean {
  return /^(22|23|54)/.test(String((error as { code?: unknown }).code));
}

function toFault(position: number, ref: string, error: unknown, logger: Logger): Fault {
  if (error instanceof ElementError) return { position, ref, error };
  logger.error({ ref, error: String(error) }, 'an element failed for a reason of ours');
  return { position, ref, error: new ElementError('internal', 'the element could not be stored') };
}

function alreadyExists(): ElementError {
  return new ElementError('already_exists', 'an image with this id exists', 'id');
}

function notFound(): ElementError {
  return new ElementError('not_found', 'no image has this id', 'id');
}
