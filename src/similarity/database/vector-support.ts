import type pg from 'pg';
import { createToVector, leastVersion, toVector, vectorSource } from './vector-index.ts';

/** Which requirements of vector indexes a database meets. */
type VectorSupport = Readonly<{
  /** The version of pgvector that is installed in the database; null if none is. */
  installed: string | null;
  /** The version whose files the server has; null if none. */
  available: string | null;
  /** Whether the vector type is found without naming its schema. */
  isReachable: boolean;
  /** Whether the current user owns the tables, which is necessary to create an index. */
  isOwner: boolean;
}>;

/**
 * Why no vector index can be built; null if one can. `superuser`: the extension is missing, and the user may not create it.
 */
export type VectorFault = 'missing' | 'outdated' | 'unreachable' | 'superuser' | 'owner';

const read = `
  SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
         (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
         to_regtype('halfvec') IS NOT NULL AS "isReachable",
         (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'image_fingerprint'::regclass) AS "isOwner"`;

export async function readVectorSupport(client: pg.ClientBase): Promise<VectorSupport> {
  return (await client.query<VectorSupport>(read)).rows[0] as VectorSupport;
}

/** Why a database cannot have vector indexes, as far as that can be told without trying. */
export function faultOf({ installed, available, isReachable, isOwner }: VectorSupport): VectorFault | null {
  const version = installed ?? available;
  if (version === null) return 'missing';
  if (!isAtLeast(version, leastVersion)) return 'outdated';
  if (installed !== null && !isReachable) return 'unreachable';
  return isOwner ? null : 'owner';
}

function isAtLeast(version: string, least: string): boolean {
  const [own = [], other = []] = [version, least].map((each) => each.split('.').map(Number));
  const [major = 0, minor = 0] = own;
  const [leastMajor = 0, leastMinor = 0] = other;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Creates the extension and the function that indexes call, if they are missing and the user may create them. */
export async function prepareVectors(client: pg.ClientBase): Promise<VectorFault | null> {
  const support = await readVectorSupport(client);
  const fault = faultOf(support);
  if (fault !== null) return fault;
  if (support.installed === null) {
    try {
      await client.query('CREATE EXTENSION IF NOT EXISTS vector');
    } catch (error) {
      if (isForbidden(error)) return 'superuser';
      throw error;
    }
  }
  await prepareFunction(client);
  return null;
}

/**
 * Replaces an earlier version's function, which is slower but has the same results; if another user owns it, it
 * stays.
 */
async function prepareFunction(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ source: string }>(
    'SELECT prosrc AS source FROM pg_proc WHERE oid = to_regprocedure($1)',
    [toVector],
  );
  const former = rows[0]?.source;
  if (former === vectorSource) return;
  try {
    await client.query(createToVector);
  } catch (error) {
    if (former === undefined || !isForbidden(error)) throw error;
  }
}

/** Whether the database refused for lack of privileges. */
function isForbidden(error: unknown): boolean {
  return (error as { code?: string }).code === '42501';
}
