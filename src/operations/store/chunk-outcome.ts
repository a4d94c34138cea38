import type { Fault } from './prepared-chunk.ts';

/** The result of a chunk. */
export type ChunkOutcome = Readonly<{
  good: number;
  created: number;
  faults: readonly Fault[];
  /** Records to analyze. */
  stored: readonly StoredRecord[];
  /** Elements that matched an existing record, whether or not they changed it. */
  met: readonly MatchedRecord[];
}>;

/** A record that was written, and the position of its element in the request. */
export type StoredRecord = Readonly<{ position: number; id: string }>;

/** The existing record that an element matched. */
export type MatchedRecord = Readonly<{ position: number; ref: string; row: number }>;

/** The combined result of several chunks. */
export function combine(outcomes: readonly ChunkOutcome[]): ChunkOutcome {
  return {
    good: outcomes.reduce((sum, { good }) => sum + good, 0),
    created: outcomes.reduce((sum, { created }) => sum + created, 0),
    faults: outcomes.flatMap(({ faults }) => faults),
    stored: outcomes.flatMap(({ stored }) => stored),
    met: outcomes.flatMap(({ met }) => met),
  };
}
