import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import {
  commandForModels,
  curatedModels,
  fetchModel,
  findModelRuntime,
  hubLimits,
  planModel,
  readEntries,
  removeModel,
} from '../analysis/index.ts';
import type { CuratedModel, ModelPlan } from '../analysis/index.ts';
import { readConfig } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { InterruptedError, interruptible } from './interrupt.ts';
import { table, writeLine } from './output.ts';
import { createProgress, pace } from './progress.ts';

type Options = Readonly<{ yes?: boolean; json?: boolean }>;

/** `vitrine models list`, `add` and `remove`: manage the models in MODELS_DIR. */
export function addOwnModelCommands(models: Command): void {
  models
    .command('list')
    .description('list the models of MODELS_DIR, and those that can be fetched')
    .option('--json', 'print JSON')
    .action(({ json }: Options) => {
      const rows = listModels(readConfig().ai.modelsDir);
      writeLine(rows, { json, text: () => describeList(rows) });
    });
  models
    .command('add <name>')
    .description('fetch a model from the Hugging Face hub into MODELS_DIR')
    .option('--yes', 'accept its license without being asked')
    .option('--json', 'print JSON')
    .action(add);
  models
    .command('remove <name>')
    .description('remove a model and its files from MODELS_DIR')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: Options) => {
      const { modelsDir } = readConfig().ai;
      const removed = await removeModel(modelsDir, name, curatedModels);
      const text = () => `Removed ${name} with ${removed.files.length} files, ${inMegabytes(removed.bytes)}.`;
      writeLine({ name, ...removed }, { json, text });
    });
}

type Listed = Readonly<{
  name: string;
  task: string;
  license: string;
  /** Approximate size; null for entries that a person added. */
  megabytes: number | null;
  isHere: boolean;
  about: string;
}>;

/** Lists the models in models.json first, then those that can be fetched. */
function listModels(modelsDir: string): readonly Listed[] {
  const entries = readEntries(modelsDir);
  const own = entries.map(({ name, task, license }): Listed => {
    const model = curatedModels.find((each) => each.name === name);
    const about = model?.about ?? 'your own entry';
    return { name, task, license, megabytes: model?.megabytes ?? null, isHere: true, about };
  });
  const others = curatedModels
    .filter(({ name }) => own.every((each) => each.name !== name))
    .map(({ name, task, license, megabytes, about }) => ({ name, task, license, megabytes, isHere: false, about }));
  return [...own, ...others];
}

function describeList(rows: readonly Listed[]): string {
  const cells = rows.map(({ name, task, license, megabytes, isHere, about }) => [
    name,
    task,
    license,
    megabytes === null ? '-' : `${megabytes} MB`,
    isHere ? 'yes' : '-',
    about,
  ]);
  return table(['name', 'task', 'license', 'size', 'here', 'good for'], cells);
}

async function add(name: string, { yes, json }: Options): Promise<void> {
  const config = readConfig();
  const { modelsDir } = config.ai;
  const model = curatedModels.find((each) => each.name === name);
  if (model === undefined) {
    const names = curatedModels.map((each) => each.name).join(', ');
    throw new SetupError(`The list has no model '${name}'. Choose one of: ${names}.`);
  }
  const plan = await interruptible(async (signal) => {
    const hub = hubOf(config, signal);
    const planned = await planModel(hub, model, modelsDir);
    await confirm(planned, config, { yes, json, signal });
    await fetchAll(hub, planned, { modelsDir, json });
    return planned;
  });
  const files = plan.files.map(({ to, file: { bytes } }) => ({ path: to, bytes }));
  writeLine({ name, license: model.license, files }, { json, text: () => describeAdded(model, config) });
}

function hubOf({ ai, proxies }: Config, signal: AbortSignal) {
  return { url: ai.modelsHub, token: ai.hfToken, proxies, signal, limits: hubLimits };
}

type Confirmation = Options & Readonly<{ signal: AbortSignal }>;

/** Shows license and size, and asks for consent. @throws SetupError unless they are accepted */
async function confirm({ model, files, bytes, missingBytes }: ModelPlan, { ai }: Config, options: Confirmation) {
  const { yes, json, signal } = options;
  const { name, license, card, repository } = model;
  const lines = [
    `${name}: ${repository} of ${ai.modelsHub}`,
    `license: ${license}, ${card}`,
    `size: ${inMegabytes(bytes)} in ${files.length} files${missingBytes < bytes ? `, ${inMegabytes(missingBytes)} still to fetch` : ''}`,
    `folder: ${ai.modelsDir}`,
  ];
  if (!json) process.stderr.write(`${lines.join('\n')}\n`);
  if (yes) return;
  if (process.stdin.isTTY && (await accepts('Accept the license and fetch it? [y/N] ', signal))) return;
  throw new SetupError(
    `Nothing was fetched: the license ${license} of ${name} (${inMegabytes(bytes)}) was not accepted. Add --yes to accept it.`,
  );
}

/** Asks a person at the terminal. Ctrl-C, Ctrl-D and a signal mean no. */
async function accepts(question: string, signal: AbortSignal): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(asking, 'close').then(() => '');
  try {
    const answer = await Promise.race([asking.question(question, { signal }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    process.stderr.write('\n'); // The cursor is still behind the question.
    return false;
  } finally {
    asking.close();
  }
}

type Fetching = Readonly<{ modelsDir: string; json: boolean | undefined }>;

async function fetchAll(hub: ReturnType<typeof hubOf>, plan: ModelPlan, { modelsDir, json }: Fetching): Promise<void> {
  const progress = createProgress({ json });
  const [startedAt, here] = [performance.now(), plan.bytes - plan.missingBytes];
  try {
    await fetchModel(hub, plan, modelsDir, (bytes) =>
      progress.show(() => {
        const seconds = (performance.now() - startedAt) / 1000;
        const speed = pace((bytes - here) / 1e6, plan.missingBytes / 1e6, seconds).replace(' a ', ' MB a ');
        return `${inMegabytes(bytes)} of ${inMegabytes(plan.bytes)}${speed}`;
      }),
    );
  } catch (error) {
    if (!hub.signal.aborted) throw error;
    throw new InterruptedError('Interrupted. Run the command again to resume.');
  } finally {
    progress.close();
  }
}

/** Describes what to do before the model is used. */
function describeAdded({ name, task }: CuratedModel, { ai: { modelsDir } }: Config): string {
  const capability = task.toUpperCase();
  return [
    `${name} is in ${modelsDir}.`,
    ...(findModelRuntime(modelsDir) === null ? [`Install what runs it: ${commandForModels(modelsDir)}`] : []),
    `Use it: AI_${capability}_PROVIDER=local AI_${capability}_MODEL=${name}; try it: vitrine models check`,
  ].join('\n');
}

function inMegabytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;
}
