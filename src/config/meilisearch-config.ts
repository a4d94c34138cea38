import { z } from 'zod';
import { httpUrls } from './config-values.ts';

/** The variables about Meilisearch. */
export const meilisearchVariables = {
  MEILI_URL: {
    schema: httpUrls.optional(),
    meaning: 'Meilisearch ≥ 1.28; several addresses, separated by commas, share the records',
  },
  MEILI_KEY: { schema: z.string().optional(), meaning: 'Key of Meilisearch' },
  MEILI_MAX_LAG: {
    schema: z.coerce.number().min(0).max(86_400).default(0),
    meaning: 'Maximum lag of Meilisearch in seconds; beyond it, and always at 0, PostgreSQL answers',
  },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Values = { [N in keyof typeof meilisearchVariables]: z.output<(typeof meilisearchVariables)[N]['schema']> };

export type MeilisearchConfig = Readonly<{
  urls: readonly [string, ...string[]];
  key: string | undefined;
  maxLagSeconds: number;
}>;

/** Null if not configured. */
export function toMeilisearchConfig(values: Values): MeilisearchConfig | null {
  const { MEILI_URL: urls, MEILI_KEY: key, MEILI_MAX_LAG: maxLagSeconds } = values;
  return urls === undefined ? null : { urls, key, maxLagSeconds };
}
