import { expect, inject, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import type { Backing } from '../../src/backing/index.ts';
import { createAliveCheck } from '../../src/cli/alive-check.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { cloneDatabase } from '../support/database.ts';

it('a command that waits for the service ends with it, but not while there is progress or a worker', async () => {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  const database = openDatabase({ url, logger: createLogger('fatal') });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  const backing = { database } as Backing;
  const patient = createAliveCheck(backing);
  await patient(1);
  await patient(1);
  const check = createAliveCheck(backing, 0);
  await expect(check(1)).rejects.toThrow('The service has ended.');
  await database.pool.query(
    `INSERT INTO service_process (id, role, pid, host, session) VALUES (gen_random_uuid(), 'worker', 1, 'here', 'none')`,
  );
  await check(1);
});
