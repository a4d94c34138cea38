import type { Tally } from './messages.ts';
import type { Death } from './service.ts';

/** What the quiet tenant found: 95th percentiles in milliseconds. */
export type QuietFigures = Readonly<{
  reads: number;
  tags: number;
  numReads: number;
  numTags: number;
  /** What went wrong, and how often. */
  failures: Readonly<Record<string, number>>;
}>;

/** What one shape did by itself. */
export type Solo = Readonly<{
  name: string;
  /** Longest block of the event loop; the median of three where the first was long. */
  blockMs: number;
  /** Growth while it was played. */
  memoryMiB: number;
  isDeadly: boolean;
  tally: Tally;
}>;

export type Siege = QuietFigures & Readonly<{ name: string }>;

/** Everything that was measured. */
export type Report = Readonly<{
  seed: number;
  numShapes: number;
  /** Of the mixed attack: exchanges that were played and that were asked for. */
  exchanges: number;
  wanted: number;
  deaths: readonly (Death & Readonly<{ recent: readonly string[] }>)[];
  /** Processes that answered requests, but for the first. */
  restarts: number;
  restMiB: number;
  worstMiB: number;
  /** Longest block of the event loop in the mixed attack. */
  mixedBlockMs: number;
  alone: QuietFigures | null;
  mixed: QuietFigures | null;
  sieges: readonly Siege[];
  solos: readonly Solo[];
  tallies: readonly Tally[];
}>;
