import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { inject } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createApiKey, createTenant } from '../../src/tenants/index.ts';
import type { Role } from '../../src/tenants/index.ts';
import { cloneDatabase } from '../support/database.ts';
import { launch, ready } from '../support/program.ts';
import type { Run } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';

type ApiProcess = Run & Readonly<{ url: string }>;

/** Real processes of the program around one database. */
export type Cluster = Readonly<{
  database: Database;
  databaseUrl: string;
  media: string;
  apis: ApiProcess[];
  workers: Run[];
  startApi(more?: Record<string, string>): Promise<ApiProcess>;
  startWorker(more?: Record<string, string>): Promise<Run>;
  /** The same key of a new tenant, or of the tenant `of`, at each API process. */
  clients(options?: { of?: string; role?: Role }): Promise<Client[]>;
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}>;

export type ClusterOptions = Readonly<{
  apis?: number;
  workers?: number;
  environment?: Record<string, string>;
  /** A database of the test's own. */
  server?: Readonly<{ url: string; drop: () => Promise<void> }>;
}>;

export async function openCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { apis = 2, workers = 2, environment = {} } = options;
  const { url: databaseUrl, drop } = options.server ?? (await cloneDatabase(inject('postgresUrl')));
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-cluster-'));
  const database = openDatabase({ url: databaseUrl, logger: createLogger('silent'), maxConnections: 4 });
  const runs: Run[] = [];
  const settings = {
    DATABASE_URL: databaseUrl,
    MEDIA_ROOTS: folder,
    DATA_DIR: folder,
    ADMIN_API_KEY: 'a-key-of-the-operator-0001',
    SOURCE_ALLOW: '127.0.0.0/8',
    WORKERS: '1',
    LOG_LEVEL: 'warn',
    AI_ANALYSIS: 'off',
    PORT: '0',
    ...environment,
  };
  const start = async (more: Record<string, string>): Promise<Run & { url: string | null }> => {
    const started = launch(['serve', '--no-supervise'], { ...settings, ...more }, folder);
    runs.push(started);
    return { ...started, url: await ready(started) };
  };
  const startWorker = (more = {}) => start({ ...more, ROLE: 'worker' });
  const startApi = async (more = {}) => {
    const { url, ...started } = await start({ ...more, ROLE: 'api' });
    return { ...started, url: url ?? '' };
  };
  // All at once, as after a power cut.
  const [startedApis, startedWorkers] = await Promise.all([
    Promise.all(Array.from({ length: apis }, () => startApi())),
    Promise.all(Array.from({ length: workers }, () => startWorker())),
  ]);
  let tenants = 0;
  return {
    database,
    databaseUrl,
    media: folder,
    apis: startedApis,
    workers: startedWorkers,
    startApi,
    startWorker,
    async clients({ of, role = 'admin' } = {}) {
      const name = of ?? `tenant-${(tenants += 1)}`;
      const known = await database.prisma.tenant.findUnique({ where: { name } });
      const { id: tenantId } = known ?? (await createTenant(database, name));
      const { secret } = await createApiKey(database, { tenantId, name: `${role} of ${name}`, role });
      return startedApis.map(({ url }) => createClient(url, secret));
    },
    async picture(name) {
      const image = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } });
      await image.toFile(join(folder, name));
    },
    async close() {
      for (const { child } of runs) child.kill('SIGKILL');
      await Promise.all(runs.map(({ ended }) => ended));
      await database.close();
      await drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Elements that need nothing but the database: ids that are not there. */
export const nothings = (count: number): { id: string }[] => Array.from({ length: count }, (_, i) => ({ id: `n${i}` }));
