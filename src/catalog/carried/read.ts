import { printableTypes } from '../../backing/index.ts';
import { groupBy } from '../../lib/group-by.ts';
import { tenantStatementOf } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';
import type { StoredOutcome } from '../analysis.ts';
import type { Resource } from '../fields.ts';
import { storedFactsOf } from '../stored-facts.ts';
import { carriedVersion } from './shape.ts';
import type { CarriedAnalysis, CarriedFingerprint, CarriedFrame } from './shape.ts';
import { canBeId } from '../record-id.ts';

/** SQL expressions for columns whose type JSON does not have. */
const expressions: Readonly<Record<string, string>> = {
  checksum: `encode(i.checksum, 'hex')`,
  byte_size: 'i.byte_size::float8',
  bytes_read: 'i.bytes_read::float8',
};

const fingerprintColumns = `f.pdq, f.pdq_quality AS quality, f.regions, f.embedding, m.name AS model`;

const statements: Readonly<Record<Resource, TenantStatement>> = { image: imageStatement(), video: videoStatement() };

function columnsOf(resource: Resource): string {
  const { facts, carried } = storedFactsOf[resource];
  return [...facts, ...carried]
    .map(({ name, property }) => `${expressions[name] ?? `i."${name}"`} AS "${property}"`)
    .join(', ');
}

function imageStatement(): TenantStatement {
  return tenantStatementOf(
    `SELECT i.image_id AS "_id", a.signature AS "_signature", a.analyzed_at AS "_analyzedAt", a.facts AS "_facts",
       f.row_id IS NOT NULL AS "_hasFingerprint", ${fingerprintColumns}, d.details, ${columnsOf('image')}
     FROM image i LEFT JOIN image_analysis a ON a.row_id = i.row_id AND a.checksum = i.checksum
     LEFT JOIN image_fingerprint f ON f.row_id = i.row_id LEFT JOIN embedding_model m ON m.id = f.model_id
     LEFT JOIN image_details d ON d.row_id = i.row_id
     WHERE i.tenant_id = $1 AND i.image_id = ANY ($2::text[])`,
    { types: printableTypes },
  );
}

function videoStatement(): TenantStatement {
  return tenantStatementOf(
    `SELECT i.video_id AS "_id", a.signature AS "_signature", a.analyzed_at AS "_analyzedAt", a.facts AS "_facts",
       a.frames AS "_frames", i.row_id AS "_row", ${columnsOf('video')}
     FROM video i LEFT JOIN video_analysis a ON a.row_id = i.row_id AND a.reading = i.reading
     WHERE i.tenant_id = $1 AND i.video_id = ANY ($2::text[])`,
    { types: printableTypes },
  );
}

const frames = tenantStatementOf(
  `SELECT f.video_row_id AS "_row", f.number, f.time_secs AS "timeSecs", ${fingerprintColumns}, f.details
   FROM video_frame f LEFT JOIN embedding_model m ON m.id = f.model_id
   WHERE f.tenant_id = $1 AND f.video_row_id = ANY ($2::bigint[]) ORDER BY f.video_row_id, f.number`,
);

type FingerprintRow = Readonly<Record<'pdq' | 'regions' | 'details' | 'embedding', Buffer | null>> &
  Readonly<{ quality: number | null; model: string | null }>;
type FrameRow = FingerprintRow & Readonly<{ _row: number; number: number; timeSecs: number }>;
type Row = FingerprintRow &
  Readonly<Record<string, unknown>> &
  Readonly<{
    _id: string;
    _row?: number;
    _signature: string | null;
    _analyzedAt: string | null;
    _facts: CarriedAnalysis['facts'] | null;
    _frames?: readonly Readonly<{ timeSecs: number; facts: CarriedAnalysis['facts'] }>[] | null;
    _hasFingerprint?: boolean;
  }>;

/**
 * Returns the stored analyses of the records among `ids`, by id, so that another catalog need not read their sources.
 */
export async function findCarriedAnalyses(
  db: TenantDb,
  resource: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CarriedAnalysis>> {
  const { rows } = await db.query<Row>(statements[resource], [ids.filter(canBeId)]);
  const fingerprints = resource === 'video' ? await frameFingerprints(db, rows) : new Map<number, FrameRow[]>();
  return new Map(rows.map((row) => [row._id, toCarried(resource, row, fingerprints)]));
}

async function frameFingerprints(db: TenantDb, rows: readonly Row[]): Promise<Map<number, FrameRow[]>> {
  const { rows: found } = await db.query<FrameRow>(frames, [rows.map(({ _row }) => _row)]);
  return groupBy(found, ({ _row }) => Number(_row));
}

function toCarried(
  resource: Resource,
  row: Row,
  fingerprints: ReadonlyMap<number, readonly FrameRow[]>,
): CarriedAnalysis {
  const { facts, carried } = storedFactsOf[resource];
  const columns = [...facts, ...carried].map(({ property }) => [property, printable(row[property])]);
  return {
    version: carriedVersion,
    columns: Object.fromEntries(columns) as Record<string, unknown>,
    signature: row._signature,
    analyzedAt: row._analyzedAt,
    facts: row._facts ?? {},
    fingerprint: row._hasFingerprint === true ? toFingerprint(row) : null,
    frames: framesOf(row._frames ?? [], fingerprints.get(Number(row._row)) ?? []),
  };
}

type FrameFacts = Readonly<{ timeSecs: number; facts: Readonly<Record<string, StoredOutcome>> }>;

function framesOf(facts: readonly FrameFacts[], fingerprints: readonly FrameRow[]): CarriedFrame[] {
  const byNumber = new Map(fingerprints.map((fingerprint) => [fingerprint.number, fingerprint]));
  return facts.map((frame, number) => {
    const fingerprint = byNumber.get(number);
    return {
      timeSecs: frame.timeSecs,
      facts: frame.facts,
      fingerprint: fingerprint === undefined ? null : toFingerprint(fingerprint),
    };
  });
}

function toFingerprint({ pdq, quality, regions, details, embedding, model }: FingerprintRow): CarriedFingerprint {
  const text = (bytes: Buffer | null) => bytes && bytes.toString('base64');
  return { pdq: text(pdq), quality, regions: text(regions), details: text(details), embedding: text(embedding), model };
}

function printable(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}
