import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import { refusalIn } from '../backing/index.ts';
import type { Database, MeilisearchMember } from '../backing/index.ts';
import { resources } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';
import { SetupError } from '../lib/errors.ts';
import { askForRebuild, meilisearchLag, isRebuilding, noteChanges, startIndexer } from '../search/index.ts';
import type { MeilisearchLag } from '../search/index.ts';
import { buildVectorIndexes } from '../similarity/index.ts';
import { InterruptedError, interruptible } from './interrupt.ts';
import { writeLine } from './output.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { withSession } from './session.ts';

type Options = Readonly<{ resource?: Resource; vectors?: boolean; json?: boolean }>;

const pollMs = 500;

export function addReindexCommand(program: Command): void {
  program
    .command('reindex')
    .description('rebuild the Meilisearch indexes (the old ones stay in use), or build those of vectors in PostgreSQL')
    .addOption(new Option('--resource <resource>', 'only the index of these records').choices(resources))
    .option('--vectors', 'build the missing vector indexes of PostgreSQL instead, as the owner of its tables')
    .option('--json', 'print JSON')
    .action((options: Options) => (options.vectors === true ? buildVectors(options) : reindex(options)));
}

async function reindex({ resource, json }: Options): Promise<void> {
  const wanted = resource === undefined ? resources : [resource];
  const progress = createProgress({ json });
  const lag = await withSession(async ({ config, logger, backing: { database, meilisearch: client } }) => {
    if (config.meili === null || client === null)
      throw new SetupError('Meilisearch is not configured: set MEILI_URL, and MEILI_KEY if it needs one.');
    for (const member of client.members) await assertAnswers(member);
    await noteChanges(database);
    await askForRebuild(database, wanted);
    // If a worker has the lease, it does the work, and this process only waits.
    const indexer = startIndexer({ database, client, logger });
    try {
      return await watch(database, wanted, progress);
    } finally {
      progress.close();
      await indexer.close();
    }
  });
  writeLine(lag, { json, text: () => describe(lag) });
}

async function assertAnswers({ name, writer }: MeilisearchMember): Promise<void> {
  await writer.getRawIndexes({ limit: 1 }).catch((error: unknown) => {
    const refusal = refusalIn(error);
    const reason = refusal === null ? 'does not answer' : `refuses MEILI_KEY: ${refusal.message.replace(/\.$/, '')}`;
    throw new SetupError(`Meilisearch at ${name} ${reason}.\nRun: vitrine doctor`);
  });
}

async function buildVectors({ json }: Options): Promise<void> {
  const built = await withSession(async ({ config, logger, backing: { database } }) => {
    const result = await interruptible(async (signal) => {
      const ended = await buildVectorIndexes({ database, logger, placement: config.similarity, signal });
      if (signal.aborted)
        throw new InterruptedError(`Interrupted: ${ended.built} built. Run the command again to resume.`);
      return ended;
    });
    if (result.fault === 'busy')
      throw new SetupError('Another process is building vector indexes. Run: vitrine doctor');
    if (result.fault !== null) throw new SetupError('PostgreSQL cannot have vector indexes. Run: vitrine doctor');
    return result.built;
  });
  writeLine({ built }, { json, text: () => (built === 0 ? 'No vector index is missing.' : `${built} built.`) });
}

async function watch(database: Database, wanted: readonly Resource[], progress: Progress): Promise<MeilisearchLag> {
  for (;;) {
    const lag = await meilisearchLag(database);
    if (!(await isRebuilding(database, wanted))) return lag;
    progress.show(() => progressOf(lag));
    await sleep(pollMs);
  }
}

function progressOf({ indexes }: MeilisearchLag): string {
  const parts = indexes.flatMap(({ resource, filling }) =>
    filling === null ? [] : [`${resource}s: ${filling.filled} of ${filling.of}`],
  );
  return parts.join(', ');
}

function describe({ indexes, pending, refused }: MeilisearchLag): string {
  const lines = indexes.map(({ resource, isReady }) => `${resource}s: ${isReady ? 'ready' : 'not ready'}`);
  return [...lines, `${pending} changes to send, ${refused} refused`].join('\n');
}
