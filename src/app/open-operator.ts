import { findEmbeddedPostgres } from '../backing/index.ts';
import { ensureSigningKey, foldersOf, writeArchive } from '../backup/index.ts';
import type { Config } from '../config/config.ts';
import { examine } from '../doctor/index.ts';
import type { Finding } from '../doctor/index.ts';
import type { Operator } from '../graphql/index.ts';
import { AppError } from '../lib/errors.ts';

/** The functions of this process for operators of the service. */
export function openOperator(config: Config): Operator {
  let examining: Promise<readonly Finding[]> | null = null;
  return {
    examine: () => (examining ??= examine(config).finally(() => (examining = null))),
    async backUp(choice, onDigest) {
      const { database, databaseUrl, dataDir, mediaRoots } = config;
      const url = database.directUrl ?? databaseUrl ?? (await findEmbeddedPostgres(dataDir));
      if (url === null) throw new AppError('unavailable', 'The database is not running');
      return writeArchive({
        url,
        folders: foldersOf(config, choice),
        except: [dataDir, ...mediaRoots],
        key: ensureSigningKey(config),
        isAlone: true,
        onDigest,
      });
    },
  };
}
