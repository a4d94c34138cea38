// Messages between the tool and its two helpers.
import type { Lane, Target } from './exchange.ts';

/** What the attacker is to do. */
export type Job = Readonly<{
  target: Target;
  seed: number;
  /** Shapes to choose from; null for all. */
  names: readonly string[] | null;
  /** Whether each is played in turn, and not by its weight. */
  inOrder: boolean;
  /** Whether speed, reader and ending of the exchanges are changed at random. */
  isTwisted: boolean;
  /** Number of the first exchange, and how many. */
  from: number;
  count: number;
  /** Exchanges at the same time. */
  lanes: Readonly<Record<Lane, number>>;
  /** After this nothing is begun any more. */
  ms: number;
}>;

/** What became of the exchanges of one shape. */
export type Tally = {
  readonly name: string;
  count: number;
  /** Exchanges that found nobody to connect to. */
  refused: number;
  overdue: number;
  statuses: Record<number, number>;
  sent: number;
  received: number;
  maxMs: number;
  /** Most bytes that one exchange was answered. */
  maxReceived: number;
  numFaults: number;
  /** The first of them, with what `--only` takes to play them again. */
  faults: { replay: string; what: string }[];
};

export type ToAttacker = Readonly<{ kind: 'play'; job: Job }> | Readonly<{ kind: 'recent' }>;
export type FromAttacker =
  | Readonly<{ kind: 'progress'; done: number }>
  | Readonly<{ kind: 'finished'; tallies: Tally[] }>
  | Readonly<{ kind: 'recent'; names: string[] }>;

export type ToQuiet = Readonly<{ kind: 'measure'; port: number; key: string; ms: number; picture: string }>;
/** Milliseconds of each request, and what went wrong, by message. */
export type Measured = Readonly<{ reads: number[]; tags: number[]; failures: Readonly<Record<string, number>> }>;
