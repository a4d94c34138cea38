import { z } from 'zod';
import { httpUrl, postgresUrl, postgresUrls } from './config-values.ts';

const port = z.coerce.number().int().min(1).max(65_535);
/** The variables about an external PostgreSQL and about monitoring the service; part of the table in config.ts. */
export const runVariables = {
  DATABASE_DIRECT_URL: {
    schema: postgresUrl.optional(),
    meaning: 'Direct address of PostgreSQL if `DATABASE_URL` is a pooler such as PgBouncer',
  },
  DATABASE_PREPARED: {
    schema: z.enum(['on', 'off']).optional(),
    meaning: 'Whether prepared statements are used; by default unless `DATABASE_DIRECT_URL` is set',
  },
  DATABASE_READ_URLS: {
    schema: postgresUrls.default([]),
    meaning: 'Up to 16 streaming replicas of `DATABASE_URL` for searches and reads by id, separated by commas',
  },
  DATABASE_CONNECTIONS: {
    schema: z.coerce.number().int().min(2).max(1000).default(20),
    meaning:
      'Maximum connections to the database, and to each replica; notifications and the queue use up to seven more',
  },
  DATABASE_TIMEOUT: {
    schema: z.coerce.number().int().min(1).max(3600).default(30),
    meaning: 'Timeout of one statement, in seconds',
  },
  DATABASE_MIGRATE: {
    schema: z.enum(['on', 'off']).default('on'),
    meaning: 'Whether the service migrates the database when it starts; off leaves that to `vitrine migrate`',
  },
  METRICS_HOST: { schema: z.string().default('127.0.0.1'), meaning: 'Address of `METRICS_PORT`' },
  METRICS_PORT: {
    schema: port.optional(),
    meaning: 'Separate port for `/metrics`, `/health` and `/ready`, without a key; workers have no other port',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    meaning: 'Collector of traces, by OTLP over HTTP; needs extra packages, see docs/run.md',
  },
  OTEL_SERVICE_NAME: { schema: z.string().default('vitrine'), meaning: 'Name of this service in traces' },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Values = { [N in keyof typeof runVariables]: z.output<(typeof runVariables)[N]['schema']> };

/** Settings for an external PostgreSQL. */
export type DatabaseConfig = Readonly<{
  /** Bypasses a pooler for what needs a real session: LISTEN, the queue, migrations. */
  directUrl: string | undefined;
  readUrls: readonly string[];
  isPrepared: boolean;
  connections: number;
  statementMs: number;
  migrates: boolean;
}>;

/** How the service is monitored. */
export type WatchConfig = Readonly<{
  metricsHost: string;
  metricsPort: number | undefined;
  traceEndpoint: string | undefined;
  serviceName: string;
}>;

/** Builds the configuration from the variables about the database. */
export function toDatabaseConfig(values: Values): DatabaseConfig {
  const { DATABASE_DIRECT_URL: directUrl, DATABASE_PREPARED: prepared } = values;
  return {
    directUrl,
    readUrls: values.DATABASE_READ_URLS,
    isPrepared: prepared === undefined ? directUrl === undefined : prepared === 'on',
    connections: values.DATABASE_CONNECTIONS,
    statementMs: values.DATABASE_TIMEOUT * 1000,
    migrates: values.DATABASE_MIGRATE === 'on',
  };
}

export function toWatchConfig(values: Values): WatchConfig {
  return {
    metricsHost: values.METRICS_HOST,
    metricsPort: values.METRICS_PORT,
    traceEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    serviceName: values.OTEL_SERVICE_NAME,
  };
}
