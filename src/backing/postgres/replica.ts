import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { waitAtMost } from '../../lib/wait-at-most.ts';
import type { Logger } from '../../observability/logger.ts';
import { createCoalescer } from './coalesce.ts';
import { readServerState, replayedPosition, replicaFault } from './replica-server.ts';
import type { ServerState } from './replica-server.ts';

/** Limits of reads from replicas. */
export const replicaLimits = {
  /** How long a read waits for a replica to replay everything written before it. */
  waitMs: 20,
  /** How often a replica is checked; the pause doubles with each repeated failure, up to `longestCheckMs`. */
  checkMs: 1_000,
  longestCheckMs: 30_000,
  /** How long a check may take before the replica's connections are closed. */
  answerMs: 2_000,
} as const;

/** Pause between two reads of a replica's position. */
const pollMs = 2;

/** `behind`: it answers, but was too late for a read and has not caught up yet. `away`: it cannot be used. */
export type ReplicaState = 'ready' | 'behind' | 'away';

type ReplicaOptions = Readonly<{
  /** Its address, without user and password. */
  name: string;
  /** Opens its pool, which reports each new socket. */
  open: (onSocket: (socket: Socket) => void) => pg.Pool;
  primary: () => Promise<ServerState>;
  logger: Logger;
}>;

/** A replica and its state as far as known; it is checked for as long as it is open. */
export class Replica {
  readonly name: string;
  readonly pool: pg.Pool;
  state: ReplicaState = 'away';
  /** The least that it has replayed; must not be lowered by an answer that arrives late. */
  position = 0;
  /** The position that it must reach to be ready again. */
  #missed = 0;
  #failures = 0;
  /** Whether the log already says that it is away; false at first, when nobody knows whether it answers. */
  #isReported = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #sockets = new Set<Socket>();
  readonly #coalesce = createCoalescer();
  readonly #options: ReplicaOptions;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
    this.pool = options.open((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    void this.#check();
  }

  /** Waits up to `waitMs` for it to replay a position; returns whether it has done so and can be read from. */
  async reach(position: number): Promise<boolean> {
    if (this.position >= position) return true;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), replicaLimits.waitMs);
    const ended = new Promise<void>((resolve) => late.signal.addEventListener('abort', () => resolve()));
    try {
      while (this.position < position && !late.signal.aborted && this.state === 'ready') {
        await Promise.race([this.#coalesce('position', () => this.#readPosition()), ended]);
        if (this.position < position) await Promise.race([sleep(pollMs), ended]);
      }
    } catch (error) {
      this.leave(error);
    } finally {
      clearTimeout(timer);
    }
    const hasReached = this.position >= position;
    if (!hasReached && this.state === 'ready') {
      this.state = 'behind';
      this.#missed = position;
    }
    return hasReached && this.state === 'ready';
  }

  /** Stops using it until a check succeeds. */
  leave(error: unknown): void {
    if (this.#isClosed || (this.state === 'away' && this.#isReported)) return;
    this.state = 'away';
    this.#isReported = true;
    this.position = 0;
    this.#options.logger.warn({ replica: this.name, reason: String(error) }, 'a replica is left alone');
    // Reads that are still waiting for it go to the primary.
    for (const socket of this.#sockets) socket.destroy(new Error('Connection terminated: the replica is left alone'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    if (!this.pool.ended) await this.pool.end();
  }

  async #readPosition(): Promise<void> {
    const { rows } = await this.pool.query<{ position: number | null }>(replayedPosition);
    const position = rows[0]?.position ?? null;
    if (position === null) throw new Error('it is not a replica');
    if (this.state !== 'away') this.position = Math.max(this.position, position);
  }

  async #check(): Promise<void> {
    try {
      const primary = await this.#options.primary().catch(() => null);
      // Without the state of the primary there is nothing to compare with; reads from the primary fail in any case.
      if (primary !== null) this.#judge(await this.#readState(), primary);
    } catch (error) {
      this.#failures += 1;
      this.leave(error);
    }
    if (this.#isClosed) return;
    const { checkMs, longestCheckMs } = replicaLimits;
    const pause = Math.min(longestCheckMs, checkMs * 2 ** Math.max(0, this.#failures - 1));
    this.#timer = setTimeout(() => void this.#check(), pause).unref();
  }

  async #readState(): Promise<ServerState> {
    try {
      return await waitAtMost(replicaLimits.answerMs, readServerState(this.pool));
    } catch (error) {
      // Even a replica that was away has sockets: those of this check.
      for (const socket of this.#sockets) socket.destroy();
      throw error;
    }
  }

  #judge(replica: ServerState, primary: ServerState): void {
    const fault = replicaFault(replica, primary);
    if (fault !== null) throw new Error(fault);
    this.#failures = 0;
    if (this.state === 'ready') return;
    // Before a replica that comes back is used, it must reach the position that the primary had when it was asked.
    if (this.state === 'away') this.#missed = primary.position;
    if (replica.position < this.#missed) {
      this.state = 'behind';
      return;
    }
    this.#options.logger.info({ replica: this.name }, 'a replica is read from');
    this.state = 'ready';
    this.#isReported = false;
    this.position = replica.position;
  }
}
