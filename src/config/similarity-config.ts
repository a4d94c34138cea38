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
      'Where `i=` and `i~` search; with `auto` in memory, but in the database for large tenants or without enough memory',
  },
  SIMILARITY_DATABASE_FROM: {
    schema: z.coerce.number().int().min(10_000).default(2_000_000),
    meaning:
      'Number of images from which a tenant is large: `i==`, `i===` and, with pgvector, `i~` use an index in the database',
  },
} as const;
