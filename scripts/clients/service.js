import { resolve } from 'node:path';
import { readConfig } from '../../dist/src/config/config.js';
import { createLogger } from '../../dist/src/observability/logger.js';
import { serve } from '../../dist/src/app/serve.js';

const key = 'vt_key-of-the-generated-clients';

/** Starts a service on a new folder, with the pictures of examples/; analysis is off to save time. */
export async function startService(dataDir) {
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    MEDIA_ROOTS: resolve('examples/pictures'),
    ADMIN_API_KEY: key,
  });
  const service = await serve(config, createLogger('error'));
  await service.backing.database.prisma.tenant.updateMany({ data: { analysis: false } });
  return { url: service.url, key, close: () => service.close() };
}
