import process from 'node:process';
import { setPriority } from 'node:os';
import type {
  AnalysisOrder,
  AnalysisReport,
  Job,
  ModelAnswer,
  ModelInput,
  ProcessSettings,
} from '../process/messages.ts';
import type { ModelEntry } from './manifest.ts';
import { ModelError } from './model-error.ts';
import { readManifest, versionOfModel } from './read-manifest.ts';
import { embedText } from './tasks/embed.ts';
import { runOwnModel } from './tasks/run-own-model.ts';
import { ModelTools } from './tools.ts';

/**
 * The process that runs models of MODELS_DIR: one network at a time, on a batch of waiting pictures. A run of native code
 * cannot be interrupted, so the process that started this one ends it if a run takes too long. Its only argument is its
 * settings as JSON.
 */
export type ModelProcessSettings = ProcessSettings &
  Readonly<{ modelsDir: string; runtime: string | null; memoryBytes: number }>;

type ModelOrder = AnalysisOrder<Extract<Job, { name: 'model' }>>;
type Waiting = Readonly<{ id: number; entry: ModelEntry; input: ModelInput }>;

const settings = JSON.parse(process.argv[2] ?? '') as ModelProcessSettings;
const waiting: Waiting[] = [];
let tools: ModelTools | null = null;
let entries: ReadonlyMap<string, ModelEntry> | null = null;
let isRunning = false;

/** The model with this version. @throws ModelError if models.json has changed meanwhile. */
function entryOf(model: string, version: string): ModelEntry {
  entries ??= new Map((readManifest(settings.modelsDir) ?? []).map((entry) => [entry.name, entry]));
  const entry = entries.get(model);
  if (entry !== undefined && versionOfModel(entry) === version) return entry;
  throw new ModelError('not_available', `${model} has changed in models.json: start the service again`);
}

function say(id: number, result: ModelAnswer): void {
  if (process.connected) process.send?.([{ type: 'result', id, result }] satisfies AnalysisReport[]);
}

function failed(error: unknown): ModelAnswer {
  const isOurs = error instanceof ModelError;
  // Messages of the runtime may name files of this machine; only the first line says what is wrong.
  const text = isOurs ? error.message : `the model failed: ${String((error as Error).message).split('\n')[0] ?? ''}`;
  const message = text.replaceAll(settings.modelsDir, 'MODELS_DIR').slice(0, 500);
  return { device: '', error: { code: isOurs ? error.code : 'failed', message } };
}

/**
 * Takes one text first, because a search is waiting for it; otherwise as many pictures as one run of their model
 * accepts.
 */
function nextBatch(): readonly Waiting[] {
  const text = waiting.findIndex(({ input }) => 'text' in input);
  if (text >= 0) return waiting.splice(text, 1);
  const [first] = waiting;
  if (first === undefined) return [];
  const batch = waiting.filter(({ entry }) => entry === first.entry).slice(0, first.entry.batch);
  for (const each of batch) waiting.splice(waiting.indexOf(each), 1);
  return batch;
}

async function runBatch(batch: readonly Waiting[]): Promise<readonly ModelAnswer[]> {
  const [first] = batch;
  if (first === undefined) return [];
  const { entry, input } = first;
  const { modelsDir, runtime, memoryBytes, threads } = settings;
  tools ??= new ModelTools({ modelsDir, runtime, memoryBytes, threads });
  const results =
    'text' in input
      ? [await embedText({ entry: textModel(entry), tools }, input.text)]
      : await runOwnModel(
          entry,
          tools,
          batch.map((each) => (each.input as { jpeg: Buffer }).jpeg),
          input.lang,
        );
  return results.map((result) => ({ device: tools?.networks.device ?? '', result }));
}

function textModel(entry: ModelEntry) {
  if (entry.task === 'embedding') return entry;
  throw new ModelError('failed', `${entry.name} embeds no texts`);
}

/** Runs batches one after the other; native code uses all threads that it may. */
async function runAll(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
    const answers = await runBatch(batch).catch((error: unknown) => batch.map(() => failed(error)));
    for (const [index, { id }] of batch.entries()) say(id, answers[index] as ModelAnswer);
    // Lets messages arrive: jobs that were aborted meanwhile need not run.
    await new Promise((resolve) => setImmediate(resolve));
  }
  isRunning = false;
}

process.on('message', (orders: readonly ModelOrder[]) => {
  for (const order of orders) {
    if (order.type === 'abort') {
      const index = waiting.findIndex(({ id }) => id === order.id);
      if (index >= 0) waiting.splice(index, 1);
    } else if (order.type === 'work') {
      try {
        const { model, version, input } = order.job;
        waiting.push({ id: order.id, entry: entryOf(model, version), input });
      } catch (error) {
        say(order.id, failed(error));
      }
    }
  }
  void runAll();
});
process.on('disconnect', () => process.exit());

try {
  setPriority(settings.niceness);
} catch {
  // Not every system allows it; models run anyway.
}
process.send?.([{ type: 'ready' }] satisfies AnalysisReport[]);
