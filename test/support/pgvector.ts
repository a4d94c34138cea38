import { findPgvector } from '../../bench/pgvector.ts';

/** Why tests of vector indexes are skipped, or false; part of their titles. */
export const noPgvector: string | false =
  findPgvector() === null ? 'skipped: no pgvector, see PGVECTOR_POSTGRES in CONTRIBUTING.md' : false;

export const pgvectorNote = noPgvector === false ? '' : ` (${noPgvector})`;
