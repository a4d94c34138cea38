import type pg from 'pg';
import { counter } from '../../observability/metrics/index.ts';
import { createCoalescer } from './coalesce.ts';
import type { Replica, ReplicaState } from './replica.ts';
import { writtenPosition } from './replica-server.ts';
import { isUnavailable } from './unavailable.ts';

/** Sends reads to replicas as far as possible. */
export type Replicas = Readonly<{
  /** Runs a read on a replica that has everything written before it; otherwise on the primary. */
  read<T>(run: (pool: pg.Pool) => Promise<T>): Promise<T>;
  states(): readonly Readonly<{ name: string; state: ReplicaState }>[];
  close(): Promise<void>;
}>;

const onReplica = counter('replica_reads_total', { server: 'replica' });
const onPrimary = counter('replica_reads_total', { server: 'primary' });

/** PostgreSQL's error codes for a read that a replica canceled because it conflicted with the replay. */
const conflicts = ['40001', '40P01'];

export function createReplicas(primary: pg.Pool, all: readonly Replica[]): Replicas {
  const coalesce = createCoalescer();
  let written = 0;
  let turn = 0;

  async function askPosition(): Promise<void> {
    const { rows } = await primary.query<{ position: number }>(writtenPosition);
    written = rows[0]?.position ?? Infinity;
  }

  /**
   * Chooses a replica for a read. Reads that arrive while the primary is being asked for its position share the next
   * request, because that has to start after their writes.
   */
  async function findReplica(): Promise<Replica | null> {
    if (!all.some(isReady)) return null;
    await coalesce('position', askPosition);
    const position = written;
    const ready = all.filter(isReady);
    const next = ready[(turn += 1) % ready.length];
    if (next === undefined) return null;
    const replica = next.position >= position ? next : (ready.find((each) => each.position >= position) ?? next);
    return (await replica.reach(position)) ? replica : null;
  }

  return {
    async read(run) {
      // If the primary does not answer, let its own error be the one that is reported.
      const replica = await findReplica().catch(() => null);
      if (replica === null) {
        onPrimary.add();
        return run(primary);
      }
      try {
        const result = await run(replica.pool);
        onReplica.add();
        return result;
      } catch (error) {
        const isConflict = conflicts.includes((error as NodeJS.ErrnoException).code ?? '');
        if (!isConflict && !isUnavailable(error)) throw error;
        if (!isConflict) replica.leave(error);
        onPrimary.add();
        return run(primary);
      }
    },
    states: () => all.map(({ name, state }) => ({ name, state })),
    async close() {
      await Promise.all(all.map((replica) => replica.close()));
    },
  };
}

function isReady({ state }: Replica): boolean {
  return state === 'ready';
}
