import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SetupError } from '../../lib/errors.ts';
import { writeSecretFile } from '../../lib/secret-file.ts';
import { refusalInWords, refusalRemedy } from '../../lib/system-refusals.ts';

/** Name of our database in the embedded PostgreSQL. */
export const database = 'vitrine';

/** Content of DATA_DIR/postgres.json, which tells other processes how to reach the running server. */
export type PostgresAddress = Readonly<{
  port: number;
  user: string;
  password: string;
  /** Where its files are. */
  folder: string;
  /** The DATA_DIR that these belong to; missing in files of earlier versions. */
  dataDir?: string;
  /** The process that started the server and will stop it; missing in files of earlier versions. */
  starter?: number;
}>;

/** The URL of one of its databases; ours by default. */
export function toUrl({ port, user, password }: PostgresAddress, name = database): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${name}`;
}

/** Reads postgres.json; null before the first start. @throws SetupError if it cannot be read. */
export function readConnection(dataDir: string): PostgresAddress | null {
  const path = join(dataDir, 'postgres.json');
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PostgresAddress;
  } catch (error) {
    throw new SetupError(
      `${path} cannot be read: ${refusalInWords(error) ?? 'it is damaged'}. It has the password of the embedded PostgreSQL.\n${remedyOf(error)}`,
    );
  }
}

function remedyOf(error: unknown): string {
  return refusalRemedy(error) || 'Delete it: the next start as the owner of the database creates it again.';
}

/** Stores how to reach the server, readable only by the owner. */
export function writeConnection(dataDir: string, connection: PostgresAddress): void {
  const path = join(dataDir, 'postgres.json');
  writeSecretFile(path, JSON.stringify(connection));
}

/** The previous port if it is free, so that clients that kept the URL can reach the server again. */
export async function freePort(before = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (before === 0 ? reject(error) : resolve(freePort())));
    server.listen(before, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
