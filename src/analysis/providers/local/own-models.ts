import type { Facts } from '../../facts.ts';
import { ModelError } from '../../models/model-error.ts';
import { ModelProcess } from '../../models/model-process.ts';
import type { ModelProcessOptions } from '../../models/model-process.ts';
import type { ModelEntry } from '../../models/manifest.ts';
import { embedsText, versionOfModel } from '../../models/read-manifest.ts';
import type { ModelInput } from '../../process/messages.ts';
import { ProviderError } from '../provider.ts';
import type { EmbedText, Models, Provider } from '../provider.ts';

export type OwnModelsOptions = ModelProcessOptions & Readonly<{ entries: readonly ModelEntry[] }>;

/** The models of models.json, one for each capability, in a process of their own. */
export function createOwnModels({
  entries,
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

  const models = entries.map((entry) => [
    entry.task,
    {
      name: `local:${entry.name}`,
      version: versionOfModel(entry),
      run: ({ jpeg }: { jpeg: Buffer }, { langs, signal }: { langs: readonly string[]; signal: AbortSignal }) =>
        ask(entry, { jpeg, lang: langs[0] ?? 'en' }, signal),
    },
  ]);
  const embedder = entries.find(embedsText);
  const embedText: EmbedText | null =
    embedder === undefined
      ? null
      : async (text, signal) => (await ask(embedder, { text }, signal)) as Facts['embedding'];
  return {
    models: Object.fromEntries(models) as Models,
    embedText,
    costs: () => ({}),
    memory: () => process.memory,
    close: () => process.close(),
    process,
  };
}

function asProviders(error: unknown): never {
  throw error instanceof ModelError ? new ProviderError(error.code, error.message) : error;
}
