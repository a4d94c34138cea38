import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { aiVariables, toAiConfig } from './ai-config.ts';
import { processEnvironment, withoutEmpty } from './environment.ts';
import type { Environment } from './environment.ts';
import { emailVariables, toEmailConfig } from './email-config.ts';
import type { EmailConfig } from './email-config.ts';
import type { AiConfig } from './ai-config.ts';
import { storageFaults, storageVariables, toPreviewConfig, toUploadBucket } from './storage-config.ts';
import type { BucketConfig, PreviewConfig } from './storage-config.ts';
import { SetupError } from '../lib/errors.ts';
import { packageRoot } from '../lib/package-root.ts';
import { baseUrl, issueInWords, memory, networks, origins, postgresUrl, rate, redisUrl } from './config-values.ts';
import { meilisearchVariables, toMeilisearchConfig } from './meilisearch-config.ts';
import type { MeilisearchConfig } from './meilisearch-config.ts';
import { describeMisspelled } from './misspelled.ts';
import { proxyVariables, toProxies, withSmallNames } from './proxy-config.ts';
import type { Proxies } from '../lib/proxies.ts';
import type { Rates } from './rates.ts';
import { similarityVariables } from './similarity-config.ts';
import { runVariables, toDatabaseConfig, toWatchConfig } from './run-config.ts';
import type { DatabaseConfig, WatchConfig } from './run-config.ts';

const port = z.coerce.number().int().min(0).max(65_535);
/** The default media roots: the examples in the package, to begin with. */
const exampleFolders = ['pictures', 'videos']
  .map((name) => join(packageRoot, 'examples', name))
  .filter((folder) => existsSync(folder));

const folders = z.string().transform((value) =>
  value
    .split(':')
    .filter((part) => part !== '')
    .map((part) => resolve(part)),
);
const rateOfKey = 'Maximum rate of one key, such as `600/min`; a tenant may set its own';

/** Every variable that Vitrine reads; docs/configuration.md is generated from this table. */
export const variables = {
  HOST: { schema: z.string().default('127.0.0.1'), meaning: 'Address to listen on' },
  PORT: { schema: port.default(4000), meaning: 'Port to listen on' },
  BASE_URL: { schema: baseUrl.optional(), meaning: 'Base URL for links and OpenAPI `servers`' },
  CORS_ORIGINS: {
    schema: origins.default([]),
    meaning: 'Allowed CORS origins, separated by commas; `*` for all',
  },
  DATA_DIR: {
    schema: z
      .string()
      .default('./data')
      .transform((value) => resolve(value)),
    meaning: 'Embedded PostgreSQL, query images, caches, the first key',
  },
  DATABASE_URL: {
    schema: postgresUrl.optional(),
    meaning: 'Your own PostgreSQL ≥ 15; without it, an embedded one runs under `DATA_DIR`',
  },
  REDIS_URL: {
    schema: redisUrl.optional(),
    meaning: 'Redis ≥ 7 for the queue; without it, the queue is in PostgreSQL',
  },
  ...meilisearchVariables,
  ADMIN_API_KEY: {
    schema: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
    meaning: 'Admin key of the first tenant; generated at the first start if absent',
  },
  BACKUP_KEY: {
    schema: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
    meaning: 'Key that signs the archives of `vitrine backup`; without it, `DATA_DIR/backup-key`, created when needed',
  },
  ROLE: {
    schema: z.enum(['all', 'api', 'worker']).default('all'),
    meaning:
      '`api` serves requests, `worker` runs operations and analysis, `all` does both; `api` and `worker` need `DATABASE_URL`',
  },
  DRAIN_SECONDS: {
    schema: z.coerce.number().int().min(0).max(300).default(0),
    meaning: 'Seconds between SIGTERM, when `/ready` becomes 503, and the refusal of new requests',
  },
  MEDIA_ROOTS: {
    schema: folders.default([resolve('./media'), ...exampleFolders]),
    meaning: 'Folders below which `src_path` may point, separated by `:`',
  },
  ...storageVariables,
  HISTORY_DAYS: {
    schema: z.coerce.number().int().min(1).max(3650).default(90),
    meaning: 'Days that changes of records are kept; a tenant may set its own',
  },
  SOURCE_ALLOW: {
    schema: networks.default([]),
    meaning: 'Private CIDRs that `src` may reach, separated by commas',
  },
  ...emailVariables,
  ...aiVariables,
  ...proxyVariables,
  ...runVariables,
  WORKERS: {
    schema: z.coerce.number().int().min(1).max(256).default(availableParallelism()),
    meaning: 'Threads for decoding and analysis',
  },
  DECODE_MEMORY: {
    schema: memory.prefault('640MiB'),
    meaning:
      'Memory for decoding one picture, and for all large ones together; AVIF, HEIC, progressive JPEG and TIFF in one strip need the most',
  },
  ...similarityVariables,
  RATE_LIMIT_READ: {
    schema: rate,
    meaning: rateOfKey,
  },
  RATE_LIMIT_WRITE: { schema: rate, meaning: rateOfKey },
  RATE_LIMIT_TAG: { schema: rate, meaning: rateOfKey },
  RATE_LIMIT_QUERY_IMAGE: { schema: rate, meaning: rateOfKey },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    meaning: 'Minimum level of log lines',
  },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Name = keyof typeof variables;
type Values = { [N in Name]: z.output<(typeof variables)[N]['schema']> };

/** Variables whose value may be read from a file named by `NAME_FILE`. */
export const secrets: readonly Name[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URLS',
  'REDIS_URL',
  'MEILI_KEY',
  'ADMIN_API_KEY',
  'BACKUP_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'HF_TOKEN',
  'SMTP_URL',
];

/** The whole configuration, read once at startup and passed down. */
export type Config = Readonly<{
  host: string;
  port: number;
  baseUrl: string | undefined;
  corsOrigins: readonly string[];
  dataDir: string;
  databaseUrl: string | undefined;
  /** Null if not configured. */
  meili: MeilisearchConfig | null;
  redisUrl: string | undefined;
  database: DatabaseConfig;
  watch: WatchConfig;
  adminApiKey: string | undefined;
  /** The key that archives are signed with; undefined if it is stored in DATA_DIR. */
  backupKey: string | undefined;
  role: 'all' | 'api' | 'worker';
  /** How long a process that was asked to end still accepts requests, in seconds. */
  drainSeconds: number;
  mediaRoots: readonly string[];
  /** How long changes of records are kept, unless the tenant has its own setting. */
  historyDays: number;
  sourceAllow: readonly string[];
  /** How email is sent; null if none is sent. */
  email: EmailConfig | null;
  workers: number;
  /** Where previews are stored; null if none are made. */
  previews: PreviewConfig | null;
  /** The bucket for uploaded files; null for a folder in DATA_DIR. */
  uploadBucket: BucketConfig | null;
  /** Where fingerprints are searched; `auto` searches the database for tenants with at least `databaseFrom` images. */
  similarity: Readonly<{ mode: 'auto' | 'memory' | 'database'; databaseFrom: number }>;
  /** Maximum memory for fingerprints of images, in bytes. */
  similarityBytes: number;
  /** Memory for decoding one picture, and for all large ones together, in bytes. */
  decodeMemory: number;
  ai: AiConfig;
  /** Proxies for calling and downloading models. */
  proxies: Proxies;
  /** Rate limits of each key, unless its tenant sets its own; a class that is absent is not limited. */
  rates: Rates;
  logLevel: Values['LOG_LEVEL'];
}>;

/**
 * Reads the configuration.
 *
 * @throws SetupError that lists every faulty variable.
 */
export function readConfig(environment: Environment = processEnvironment(secrets)): Config {
  const faults: string[] = [];
  const given = readSecrets(withSmallNames(withoutEmpty(environment)), faults);
  const parsed: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(variables)) {
    const result = schema.safeParse(given[name]);
    if (result.success) parsed[name] = result.data;
    else faults.push(`${name}: ${result.error.issues.map((issue) => issueInWords(issue, given[name])).join('; ')}`);
  }
  faults.push(...storageFaults(parsed));
  if (isRoleAlone(parsed, given)) {
    faults.push(`ROLE: ${String(parsed['ROLE'])} needs DATABASE_URL; the embedded PostgreSQL ends with its process`);
  }
  if (faults.length > 0) {
    faults.push(...misspelledSettings(environment));
    throw new SetupError(
      `${faults.length === 1 ? '1 configuration error' : `${faults.length} configuration errors`}:\n  ${faults.join('\n  ')}`,
    );
  }
  return toConfig(parsed as Values);
}

/** Variables that nothing reads because they look like misspelled settings: one sentence for each. */
export function misspelledSettings(environment: Environment = processEnvironment(secrets)): string[] {
  // Many programs read the usual proxy variables, and some have their own, such as FTP_PROXY.
  const names = Object.keys(variables).filter((name) => !(name in proxyVariables));
  return describeMisspelled(environment, [...names, ...secrets.map((name) => `${name}_FILE`)]);
}

/**
 * Whether this process takes one part of the work without a database to share with the processes that do the rest:
 * the embedded one would end with this process.
 */
function isRoleAlone({ ROLE: role }: Readonly<Record<string, unknown>>, given: Environment): boolean {
  const isNamed = given['DATABASE_URL'] !== undefined || given['DATABASE_URL_FILE'] !== undefined;
  return (role === 'api' || role === 'worker') && !isNamed;
}

function toConfig(values: Values): Config {
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL?.replace(/\/+$/, ''),
    corsOrigins: values.CORS_ORIGINS,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    meili: toMeilisearchConfig(values),
    redisUrl: values.REDIS_URL,
    database: toDatabaseConfig(values),
    watch: toWatchConfig(values),
    adminApiKey: values.ADMIN_API_KEY,
    backupKey: values.BACKUP_KEY,
    role: values.ROLE,
    drainSeconds: values.DRAIN_SECONDS,
    mediaRoots: values.MEDIA_ROOTS,
    historyDays: values.HISTORY_DAYS,
    sourceAllow: values.SOURCE_ALLOW,
    email: toEmailConfig(values),
    workers: values.WORKERS,
    previews: toPreviewConfig(values),
    decodeMemory: values.DECODE_MEMORY,
    uploadBucket: toUploadBucket(values),
    similarity: { mode: values.SIMILARITY, databaseFrom: values.SIMILARITY_DATABASE_FROM },
    similarityBytes: values.SIMILARITY_MEMORY,
    ai: toAiConfig(values),
    proxies: toProxies(values),
    rates: {
      ...(values.RATE_LIMIT_READ && { read: values.RATE_LIMIT_READ }),
      ...(values.RATE_LIMIT_WRITE && { write: values.RATE_LIMIT_WRITE }),
      ...(values.RATE_LIMIT_TAG && { tag: values.RATE_LIMIT_TAG }),
      ...(values.RATE_LIMIT_QUERY_IMAGE && { query_image: values.RATE_LIMIT_QUERY_IMAGE }),
    },
    logLevel: values.LOG_LEVEL,
  });
}

function readSecrets(environment: Environment, faults: string[]): Environment {
  const result: Record<string, string | undefined> = { ...environment };
  for (const name of secrets) {
    const file = environment[`${name}_FILE`];
    if (file === undefined || result[name] !== undefined) continue;
    try {
      result[name] = readFileSync(file, 'utf8').trim();
    } catch {
      faults.push(`${name}_FILE: cannot read ${file}`);
    }
  }
  return result;
}
