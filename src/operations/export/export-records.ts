import { findCarriedAnalyses, findRecords } from '../../catalog/index.ts';
import type { Resource, SourceReader, SourceStreamer } from '../../catalog/index.ts';
import {
  exportedColumns,
  exportFormats,
  NoRoomError,
  openSink,
  parallelExports,
  propertiesFor,
} from '../../exports/index.ts';
import type { ExportFormat, Exports, ExportSink, ExportWriter } from '../../exports/index.ts';
import { ElementError } from '../../lib/errors.ts';
import type { ElementErrorCode } from '../../lib/errors.ts';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { AnalysisChunk } from '../analyze/chunk.ts';
import { ChunkLostError } from '../analyze/chunk-lost.ts';
import { endTask } from '../analyze/end-task.ts';
import { holdChunk } from '../analyze/hold-chunk.ts';
import { markAnalysis } from '../analyze/statements.ts';
import { isKindName, operationKinds } from '../kinds.ts';
import { maxCrashes } from '../limits.ts';
import { readChunk } from '../store/payload.ts';
import type { AcceptedElement, StoredElement } from '../store/payload.ts';
import { createReport } from './report.ts';
import type { Report } from './report.ts';
import { failExport, forgetAttempt, readElements } from './statements.ts';

/** The request of an export, stored with its elements. */
type ExportRequest = Readonly<{ format: ExportFormat; fields: readonly string[] | null }>;

type ExportContext = Readonly<{
  db: TenantDb;
  processId: string;
  logger: Logger;
  exports?: Exports;
  readSource: SourceReader;
  streamSource?: SourceStreamer;
  /** Whether it failed so often that it is given up. */
  isOneByOne: boolean;
  /** Fires when the operation is over, or the worker closes. */
  signal: AbortSignal;
}>;

const turns = new FairSemaphore({ name: 'exports', ...parallelExports });

/**
 * Writes the records of an export to its file: the second stage of an operation that requests it. It needs no lease,
 * so the tenant's writes continue in the meantime. After a crash it starts over.
 */
export async function exportRecords(chunk: AnalysisChunk, context: ExportContext): Promise<void> {
  const { db, signal, exports, streamSource, isOneByOne } = context;
  if (isOneByOne) return fail(chunk, context, 'internal', 'the export failed too often');
  if ((chunk.deaths?.[0] ?? 0) >= maxCrashes) {
    return fail(chunk, context, 'internal', `the service ended ${maxCrashes} times during this export`);
  }
  if (exports === undefined || streamSource === undefined)
    return fail(chunk, context, 'internal', 'this process keeps no exports');
  return turns.run(db.tenantId, () => attempt(chunk, { ...context, exports, streamSource }), signal);
}

type Attempt = ExportContext & Readonly<{ exports: Exports; streamSource: SourceStreamer }>;

async function attempt(chunk: AnalysisChunk, context: Attempt): Promise<void> {
  const { db, signal, processId, exports } = context;
  const { operationId, number } = chunk;
  const { rowCount } = await db.query(markAnalysis, [operationId, number, 0, processId]);
  if (rowCount === 0) throw new ChunkLostError();
  const { resource } = kindOf(chunk);
  const [first] = await elementsAt(db, operationId, 0);
  const { format, fields } = requestOf(first);
  const name = `${resource}s-${operationId}.${exportFormats[format].ending}`;
  const writer = await db.transaction(async (client) => {
    // Another worker may have started over in the meantime: its errors and its file are not ours to delete.
    await holdChunk(db, client, chunk, processId);
    await db.query(forgetAttempt, [operationId], client);
    return exports.begin(db, { operationId, format, name }, client);
  });
  try {
    const columns = exportedColumns(resource, fields);
    const report = createReport(chunk, context);
    const properties = propertiesFor(format, { resource, columns });
    const sink = openSink(format, { ...context, resource, columns, writer, owner: db.tenantId });
    try {
      await addAll(chunk, context, { sink, report, resource, properties, isAnalyzed: format === 'analyzed' });
      await sink.end();
    } finally {
      await sink.close();
    }
    await writer.flush();
    await report.flush();
    await keep(chunk, context, writer, report.good());
  } catch (error) {
    await writer.discard().catch(() => {}); // If this fails, the file expires.
    signal.throwIfAborted();
    if (!(error instanceof NoRoomError)) throw error;
    await fail(chunk, context, 'too_large', error.message);
  }
}

type Adding = Readonly<{
  sink: ExportSink;
  report: Report;
  resource: Resource;
  properties: readonly string[];
  /** Whether each line contains the analysis of its record. */
  isAnalyzed: boolean;
}>;

/** Adds the records in the order of the request, chunk by chunk. */
async function addAll(
  { operationId }: AnalysisChunk,
  { db, signal }: ExportContext,
  { sink, report, resource, properties, isAnalyzed }: Adding,
): Promise<void> {
  let position = 0;
  for (let number = 0; ; number += 1) {
    signal.throwIfAborted();
    const elements = await elementsAt(db, operationId, number);
    if (elements.length === 0) return;
    const ids = elements.map(({ id }) => id);
    const records = await findRecords(db, resource, ids, properties);
    const analyses = isAnalyzed ? await findCarriedAnalyses(db, resource, ids) : null;
    for (const element of elements) {
      signal.throwIfAborted();
      try {
        const record = records.get(element.id);
        if (element.isDuplicate) throw new ElementError('duplicate_in_batch', 'an earlier element has this id', 'id');
        if (record === undefined) throw new ElementError('not_found', `no ${resource} has this id`, 'id');
        await sink.add(record, analyses?.get(element.id));
        await report.add(null);
      } catch (error) {
        if (!(error instanceof ElementError)) throw error;
        await report.add({ position, ref: element.id, error });
      }
      position += 1;
    }
  }
}

async function elementsAt(db: TenantDb, operationId: number, number: number): Promise<readonly AcceptedElement[]> {
  const { rows } = await db.query<{ elements: readonly StoredElement[] }>(readElements, [operationId, number]);
  return readChunk(rows[0]?.elements ?? []);
}

function requestOf(first: AcceptedElement | undefined): ExportRequest {
  if (first === undefined) throw new ChunkLostError(); // The operation is over.
  return first.values as unknown as ExportRequest;
}

function kindOf({ kind }: AnalysisChunk) {
  if (!isKindName(kind)) throw new Error(`this version cannot run operations of kind '${kind}'`);
  return operationKinds[kind];
}

/** Makes the file readable and ends the operation. */
async function keep(
  chunk: AnalysisChunk,
  context: ExportContext,
  writer: ExportWriter,
  numRecords: number,
): Promise<void> {
  context.signal.throwIfAborted();
  await endTask(chunk, context, (client) => writer.complete(client, numRecords));
}

/** Ends an export without a file. */
function fail(chunk: AnalysisChunk, context: ExportContext, code: ElementErrorCode, message: string): Promise<void> {
  const values = [chunk.operationId, 'export', code, message];
  return endTask(chunk, context, (client) => context.db.query(failExport, values, client));
}
