import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { packageRoot } from '../lib/package-root.ts';
import { createLogger } from '../observability/logger.ts';
import { analyzerOptions, openImageAnalyzer } from '../analysis/index.ts';
import { checkModel } from './check-model.ts';
import type { ModelCheck } from './check-model.ts';
import { table, writeLine } from './output.ts';
import { evenly, pictureFilesIn } from './picture-files.ts';
import { addOwnModelCommands } from './own-models.ts';
import { wholeFrom } from './values.ts';

const examples = join(packageRoot, 'examples', 'pictures');
const none = 'No capability has the provider local: set AI_PROVIDER, or AI_EMBEDDING_PROVIDER and the like.';

type Options = Readonly<{ pictures: number; json?: boolean }>;

/** `vitrine models`: manages and checks the models on this machine, without server and database. */
export function addModelsCommand(program: Command): void {
  const models = program
    .command('models')
    .description('list, fetch, remove and check the models that run on this machine');
  addOwnModelCommands(models);
  models
    .command('check [folder]')
    .description('run each model of provider local on the pictures of a folder, or on the examples')
    .option('--pictures <n>', 'maximum number of pictures, evenly spread', wholeFrom(2), 20)
    .option('--json', 'print JSON')
    .action(async (folder: string | undefined, { pictures, json }: Options) => {
      const checks = await checkAll(folder ?? examples, pictures);
      writeLine(checks, { json, text: () => describe(checks) });
      if (checks.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
    });
}

/** Checks one model after the other, so that time and memory are measured separately. */
async function checkAll(folder: string, most: number): Promise<ModelCheck[]> {
  const config = readConfig();
  const files = evenly(await pictureFilesIn(folder), most);
  if (files.length < 2) throw new SetupError(`${folder} contains fewer than two pictures`);
  const logger = createLogger(config.logLevel);
  const imageAnalyzer = openImageAnalyzer({ ...analyzerOptions(config), logger });
  const local = imageAnalyzer.names.filter((name) => imageAnalyzer.origins[name]?.analyzer.startsWith('local:'));
  const checks: ModelCheck[] = [];
  try {
    if (local.length === 0) throw new SetupError(none);
    for (const name of local) checks.push(await checkModel(imageAnalyzer, name, files));
  } finally {
    await imageAnalyzer.close();
  }
  return checks;
}

function describe(checks: readonly ModelCheck[]): string {
  const milliseconds = (value: number | null) => (value === null ? '-' : `${value} ms`);
  const rows = checks.map(({ task, model, analyzed, pictures, firstMs, medianMs, memoryMiB, says }) => [
    task,
    model,
    `${analyzed} of ${pictures}`,
    milliseconds(firstMs),
    milliseconds(medianMs),
    analyzed === 0 ? '-' : `${memoryMiB} MiB`,
    says ?? '-',
  ]);
  const faults = checks.flatMap(({ task, failures }) => failures.map((reason) => `${task}: ${reason}`));
  const headings = ['task', 'model', 'pictures', 'with loading', 'each', 'memory', 'finds'];
  return [table(headings, rows), ...(faults.length > 0 ? ['', ...faults] : [])].join('\n');
}
