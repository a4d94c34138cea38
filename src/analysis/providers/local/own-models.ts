import type { Facts } from '../../facts.ts';
import { ModelError } from '../../models/model-error.ts';
import { ModelProcess } from '../../models/model-process.ts';
import type { ModelProcessOptions } from '../../models/model-process.ts';
import type { ModelEntry } from '../../models/manifest.ts';
import { embedsText, versionOfModel } from '../../models/read-manifest.ts';
import type { ModelInput } from '../../process/messages.ts';
import { ProviderError } from '../provider.ts';
import type { EmbeddingModel, EmbedText, Models, Provider } from '../provider.ts';

type OwnModelsOptions = ModelProcessOptions &
  Readonly<{
    entries: readonly ModelEntry[];
    /** All embedding models of models.json, of which one is chosen. */
    embeddings?: readonly ModelEntry[];
  }>;

/** The models of models.json, one for each capability, run in their own process. */
export function createOwnModels({
  entries,
  embeddings = [],
  ...options
}: OwnModelsOptions): Provider & Readonly<{ process: ModelProcess }> {
  const process = new ModelProcess(options);

  async function ask(entry: ModelEntry, input: ModelInput, signal: AbortSignal): Promise<unknown> {
    const answer = await process
      .ask({ model: entry.name, version: versionOfModel(entry), input }, signal)
      .catch(asProviders);
    if (answer.error !== undefined) throw new ProviderError(answer.error.code, answer.error.message);
    return answer.result;
  }

  const modelOf = (entry: ModelEntry) => ({
    name: `local:${entry.name}`,
    version: versionOfModel(entry),
    run: ({ jpeg }: { jpeg: Buffer }, { langs, signal }: { langs: readonly string[]; signal: AbortSignal }) =>
      ask(entry, { jpeg, lang: langs[0] ?? 'en' }, signal),
  });
  const textsOf = (entry: ModelEntry): EmbedText | null =>
    embedsText(entry) ? async (text, signal) => (await ask(entry, { text }, signal)) as Facts['embedding'] : null;

  function embeddingModel(named: string): EmbeddingModel | null {
    const entry = embeddings.find((each) => `local:${each.name} ${versionOfModel(each)}` === named);
    return entry === undefined ? null : { model: modelOf(entry) as EmbeddingModel['model'], embedText: textsOf(entry) };
  }

  const embedder = entries.find(embedsText);
  return {
    models: Object.fromEntries(entries.map((entry) => [entry.task, modelOf(entry)])) as Models,
    embedText: embedder === undefined ? null : textsOf(embedder),
    embeddingModel,
    costs: () => ({}),
    memory: () => process.memory,
    close: () => process.close(),
    process,
  };
}

function asProviders(error: unknown): never {
  throw error instanceof ModelError ? new ProviderError(error.code, error.message) : error;
}
