import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { newFolder, run } from '../support/program.ts';

const examples = join(packageRoot, 'examples');

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
});
afterAll(() => clone.drop());

const environment = () => ({
  DATABASE_URL: clone.url,
  DATA_DIR: newFolder(),
  MEDIA_ROOTS: join(examples, 'pictures'),
  AI_ANALYSIS: 'off',
});

const vitrine = (...args: string[]) => command(args, environment());

it(
  'the commands of history show what was changed, show what an operation did, and undo it without a service',
  full,
  async () => {
    const json = (output: string) => JSON.parse(output.replace(/^[^{]*/, ''));
    const imported = await vitrine('import', join(examples, 'catalog.json'), '--json');
    const [id] = json(imported.output).operations as [number];

    const history = run(['history', 'nagasaki'], environment());
    expect([await history.ended, history.output()]).toEqual([0, expect.stringContaining(`created  operation ${id}`)]);
    expect(history.output()).toContain('  + title: Boats in a river, Nagasaki');
    const shown = await vitrine('ops', 'show', String(id), '--diff', '--json');
    expect(json(shown.output)).toMatchObject({ id, kind: 'images.create', numChanges: 6, changes: { length: 6 } });

    const undone = await vitrine('ops', 'undo', String(id), '--json');
    expect(json(undone.output)).toMatchObject({ kind: 'images.undo', numGood: 6, numBad: 0, errors: [] });
    const diff = await vitrine('ops', 'show', String(json(undone.output).id), '--diff');
    expect(diff.output).toContain('deleted nagasaki');
    expect(diff.output).toContain('  - title: Boats in a river, Nagasaki');
  },
);

it('the commands of history say what they do not find', full, async () => {
  expect(await vitrine('history', 'nobody')).toMatchObject({
    code: 1,
    output: expect.stringContaining('No image has or had the id nobody.'),
  });
  expect(await vitrine('ops', 'undo', '1')).toMatchObject({
    code: 1,
    output: expect.stringContaining('No operation 1.'),
  });
});

it('a purge that is interrupted before it is done says so, and what becomes of it', full, async () => {
  await vitrine('import', join(examples, 'pictures'));
  const database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
  // A worker that has just stopped to work, as far as others know.
  await database.pool.query(
    `INSERT INTO service_process (id, role, pid, host, session, seen_at)
     VALUES (gen_random_uuid(), 'worker', 1, 'elsewhere', 'none', now() + interval '1 hour')`,
  );
  const purging = run(['purge', '--yes', 'nagasaki-boats.jpg'], environment());
  const count = () => database.prisma.operation.count({ where: { kind: 'images.purge' } });
  await expect.poll(count, { timeout: 20_000 }).toBe(1);
  purging.child.kill('SIGINT');
  expect(await purging.ended).toBe(130);
  expect(purging.output()).toMatch(
    /^Interrupted: operation \d+ is not finished\. It continues when the service runs\.\n$/,
  );
  await database.close();
});
