import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Closer } from '../groups/find-duplicates.ts';
import { findSameFile, readCloser } from './stored-fingerprints.ts';
import { findFramesOf, findVideosOf, readCloserFrames } from './stored-frames.ts';
import { readVerdictsOf } from '../groups/stored-verdicts.ts';
import type { Verdict } from '../groups/verdicts.ts';

/** How rows of an index relate to records: an image is one row, a video has one per frame. */
type IndexedRows = Readonly<{
  /** The data to compare some rows closely. */
  closer: (db: TenantDb, rows: readonly number[]) => Promise<ReadonlyMap<number, Closer>>;
  /** Rows of the same file. */
  sameFile: (db: TenantDb, checksum: string) => Promise<readonly number[]>;
  /** Verdicts on the record of a row and others. */
  verdicts: (db: TenantDb, row: number) => Promise<ReadonlyMap<number, Verdict>>;
  /** The rows of some records, with the record of each. */
  rowsOf: (db: TenantDb, records: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** For each record, the result of its best row. */
  bestOf: <T>(
    db: TenantDb,
    rows: ReadonlyMap<number, T>,
    score: (value: T) => number,
  ) => Promise<ReadonlyMap<number, T>>;
}>;

export const indexedRows: Readonly<Record<Resource, IndexedRows>> = {
  image: {
    closer: readCloser,
    sameFile: findSameFile,
    verdicts: readVerdictsOf,
    rowsOf: async (_, records) => new Map(records.map((record) => [record, record])),
    bestOf: async (_, rows) => rows,
  },
  video: {
    closer: readCloserFrames,
    sameFile: async () => [], // A video has no checksum.
    verdicts: async () => new Map(),
    rowsOf: findFramesOf,
    bestOf: bestFrames,
  },
};

async function bestFrames<T>(
  db: TenantDb,
  frames: ReadonlyMap<number, T>,
  score: (value: T) => number,
): Promise<Map<number, T>> {
  const videos = await findVideosOf(db, [...frames.keys()]);
  const best = new Map<number, T>();
  for (const [frame, value] of frames) {
    const video = videos.get(frame);
    if (video === undefined) continue; // Deleted meanwhile.
    const known = best.get(video);
    if (known === undefined || score(value) > score(known)) best.set(video, value);
  }
  return best;
}
