import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { noHashes } from '../index/block.ts';
import type { DuplicateCandidates } from './candidates.ts';
import { readVerdicts } from './stored-verdicts.ts';
import { isWithin } from '../compare/tiers.ts';
import type { DuplicateTier } from '../compare/tiers.ts';
import { tierAfter } from './verdicts.ts';

/** Number of records read at a time. */
const pageRows = 16_384;
const hashBytes = 32;

/** The records that match a query, ready to be searched for duplicates. `ids` are their row ids, by place. */
export type ReadCandidates = Readonly<{ ids: Float64Array; candidates: DuplicateCandidates }>;

/**
 * Reads the expression `row` for all records that match a query, as a single value: a driver takes longer to build a
 * million rows than to copy their bytes.
 *
 * @param from returns the rest of the FROM clause, given the query as a condition.
 */
export type ReadRows = (row: string, from: (where: string) => string) => Promise<Buffer>;

/**
 * Reads hashes, files and verdicts of all records that match a query, as the tier needs them.
 *
 * @throws the signal's reason.
 */
export async function readCandidates(
  db: TenantDb,
  readRows: ReadRows,
  tier: DuplicateTier,
  signal: AbortSignal,
): Promise<ReadCandidates> {
  const ids = await readIds(readRows);
  const count = ids.length;
  const hashes = new Uint8Array(new SharedArrayBuffer(count * hashBytes));
  const quality = new Uint8Array(new SharedArrayBuffer(count)).fill(noHashes);
  for (let at = 0; at < count; at += pageRows) {
    signal.throwIfAborted();
    await readHashes(db, ids.subarray(at, at + pageRows), (place, own, hash) => {
      quality[at + place] = own;
      hashes.set(hash, (at + place) * hashBytes);
    });
  }
  signal.throwIfAborted();
  const files = await readFiles(readRows, ids);
  return {
    ids,
    candidates: {
      count,
      hashes,
      quality,
      files,
      ...(await readPairs(db, ids, tier)),
      edited: null,
      formTemplates: null,
    },
  };
}

async function readIds(readRows: ReadRows): Promise<Float64Array> {
  const bytes = await readRows('int8send(row_id)', (where) => `image WHERE ${where}`);
  return Float64Array.from({ length: bytes.length / 8 }, (_, k) => Number(bytes.readBigInt64BE(k * 8))).toSorted();
}

const hashesOf = tenantStatement(
  'duplicate-hashes',
  `SELECT string_agg(int8send(row_id) || int2send(LEAST(pdq_quality, 100::int2)) || pdq, ''::bytea) AS rows
   FROM image_fingerprint
   WHERE tenant_id = $1 AND row_id = ANY($2::bigint[]) AND octet_length(pdq) = ${hashBytes} AND pdq_quality IS NOT NULL`,
);

type OnHash = (place: number, quality: number, hash: Uint8Array) => void;

async function readHashes(db: TenantDb, ids: Float64Array, onHash: OnHash): Promise<void> {
  const { rows } = await db.query<{ rows: Buffer | null }>(hashesOf, [[...ids]]);
  const bytes = rows[0]?.rows ?? Buffer.alloc(0);
  for (let at = 0; at < bytes.length; at += 10 + hashBytes) {
    const place = indexOfSorted(ids, Number(bytes.readBigInt64BE(at)));
    if (place >= 0) onHash(place, bytes.readInt16BE(at + 8), bytes.subarray(at + 10, at + 10 + hashBytes));
  }
}

/** Numbers the files that more than one of the records has. */
async function readFiles(readRows: ReadRows, ids: Float64Array): Promise<Int32Array> {
  const bytes = await readRows(
    'int8send(row_id) || int4send(file::integer)',
    (where) => `(
      SELECT row_id, dense_rank() OVER (ORDER BY checksum) AS file, count(*) OVER (PARTITION BY checksum) AS copies
      FROM image WHERE ${where}) AS ranked WHERE copies > 1`,
  );
  const files = new Int32Array(ids.length).fill(-1);
  for (let at = 0; at < bytes.length; at += 12) {
    const place = indexOfSorted(ids, Number(bytes.readBigInt64BE(at)));
    if (place >= 0) files[place] = bytes.readInt32BE(at + 8);
  }
  return files;
}

/** Reads the verdicts on pairs. A verdict that removes a pair from the tier counts as `different`. */
async function readPairs(
  db: TenantDb,
  ids: Float64Array,
  tier: DuplicateTier,
): Promise<Pick<DuplicateCandidates, 'joined' | 'apart'>> {
  const joined: number[] = [];
  const apart: number[] = [];
  for (const { low, high, verdict } of await readVerdicts(db)) {
    const [a, b] = [indexOfSorted(ids, low), indexOfSorted(ids, high)];
    if (a >= 0 && b >= 0) (isWithin(tierAfter[verdict](tier), tier) ? joined : apart).push(a, b);
  }
  return { joined: Uint32Array.from(joined), apart: Uint32Array.from(apart) };
}

/** The index of a number in a sorted list of numbers; -1 if it is missing. */
export function indexOfSorted(ids: Float64Array, id: number): number {
  let [low, high] = [0, ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = ids[middle] as number;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
