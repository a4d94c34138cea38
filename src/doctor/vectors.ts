import type pg from 'pg';
import { readFormerVectors, readVectorState } from '../similarity/index.ts';
import type { Placement, VectorState } from '../similarity/index.ts';
import type { Finding } from './finding.ts';

type Fault = NonNullable<VectorState['fault']>;

const faults: Readonly<Record<Fault, Readonly<{ text: string; remedy: string }>>> = {
  missing: {
    text: 'PostgreSQL has no pgvector',
    remedy: 'Install pgvector 0.8 or newer on its machine; the workers do the rest.',
  },
  outdated: {
    text: 'its pgvector is too old',
    remedy: 'Install pgvector 0.8 or newer and run: ALTER EXTENSION vector UPDATE',
  },
  unreachable: {
    text: 'pgvector is in a schema that is not on the search path',
    remedy: 'Run: ALTER EXTENSION vector SET SCHEMA public, with the schema of the tables.',
  },
  superuser: {
    text: 'PostgreSQL has pgvector, but this database lacks it',
    remedy: 'If the workers may not create it, a superuser can: CREATE EXTENSION vector',
  },
  owner: {
    text: 'this user does not own the tables, which creating an index requires',
    remedy: 'Run as their owner, and again when a tenant has become large: vitrine reindex --vectors',
  },
};

/** Whether large tenants have their index for `i~` in the database; no finding if no tenant needs one. */
export async function findVectorIndexes(client: pg.Client, placement: Placement): Promise<Finding[]> {
  const state = await readVectorState(client, placement);
  if (state === null || state.wanted + state.built === 0) return [];
  const { wanted, built, building, fault, version } = state;
  const text = `${built} of ${Math.max(wanted, built)} large tenants have an index of vectors`;
  if (fault !== null && built < wanted) {
    const { text: reason, remedy } = faults[fault];
    return [{ subject: 'vectors', state: 'note', text: `${text}: ${reason}`, remedy }];
  }
  const now = building === null ? '' : `, one is built: ${building} vectors are in it`;
  return [{ subject: 'vectors', state: 'ok', text: `${text} (pgvector ${version ?? ''})${now}` }];
}

const noun = { image: 'vectors of images', video: 'vectors of frames of videos' } as const;
const again = { image: 'analyzeImages', video: 'analyzeVideos' } as const;

/** How far the change to a new embedding model is; no finding if one model serves all searches. */
export async function findFormerVectors(client: Pick<pg.Client, 'query'>): Promise<Finding[]> {
  return (await readFormerVectors(client)).map(({ resource, tenants, done, total, model, next }) => ({
    subject: 'vectors',
    state: 'note',
    text: `${done} of ${total} ${noun[resource]} exist for ${next}; until all do, ${tenants} tenant(s) are searched with ${model}`,
    remedy:
      done < total
        ? `Analyze the rest: ${again[resource]}(q: "ai_status:stale"); the workers then switch over.`
        : 'The workers switch over as soon as the new vectors have their index in the database.',
  }));
}
