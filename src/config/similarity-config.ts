import { z } from 'zod';
import { memory } from './config-values.ts';

/** Variables of similarity search. */
export const similarityVariables = {
  SIMILARITY_MEMORY: {
    schema: memory.prefault('2GiB'),
    meaning: 'Memory for similarity search, shared by all tenants; a million images take 360 MB',
  },
  SIMILARITY: {
    schema: z.enum(['auto', 'memory', 'database']).default('auto'),
    meaning:
      'Where `i=` and `i~` search: in memory, in the database (needs no memory), or with `auto` in the database for large tenants and when memory is short',
  },
  SIMILARITY_DATABASE_FROM: {
    schema: z.coerce.number().int().min(10_000).default(2_000_000),
    meaning:
      'Images of a tenant from which on `i==`, `i===` and, with pgvector, `i~` search an index in the database with `SIMILARITY=auto`',
  },
} as const;
