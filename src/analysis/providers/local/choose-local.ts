import type { AiConfig } from '../../../config/ai-config.ts';
import { SetupError } from '../../../lib/errors.ts';
import { manifestName } from '../../models/manifest.ts';
import type { ModelEntry } from '../../models/manifest.ts';
import { readManifest } from '../../models/read-manifest.ts';
import { capabilities } from '../provider.ts';
import type { Capability } from '../provider.ts';
import { localServes } from './index.ts';

/** Which models provide the capabilities of `local`: those of models.json, or those of Transformers.js. */
type LocalChoice = Readonly<{
  own: readonly ModelEntry[];
  transformers: readonly Capability[];
  /** All embedding models of models.json. */
  embeddings: readonly ModelEntry[];
}>;

/**
 * Chooses for each capability the model that AI_…_MODEL names, otherwise the first one in models.json. Without models.json,
 * and if a variable names `local` for a capability that it does not describe, Transformers.js provides what it can; the rest
 * stays built in.
 *
 * @throws SetupError if a variable names `local` for a capability without a model, or models.json has faults.
 */
export function chooseLocal({ providers, named, models, modelsDir }: AiConfig): LocalChoice {
  const wanted = capabilities.filter((name) => providers[name] === 'local');
  const entries = wanted.length === 0 ? null : readManifest(modelsDir);
  const own: ModelEntry[] = [];
  const transformers: Capability[] = [];
  for (const name of wanted) {
    const model = models[name];
    const entry = entries?.find(({ task, name: id }) => task === name && (model === undefined || id === model));
    const mustServe = named.includes(name);
    if (entry !== undefined) own.push(entry);
    else if ((localServes as readonly Capability[]).includes(name)) {
      if (entries === null || mustServe || model !== undefined) transformers.push(name);
    } else if (mustServe) throw noModel(name, model, modelsDir);
  }
  return { own, transformers, embeddings: entries?.filter(({ task }) => task === 'embedding') ?? [] };
}

function noModel(name: Capability, model: string | undefined, modelsDir: string): SetupError {
  const which = model === undefined ? '' : ` named '${model}'`;
  return new SetupError(
    `AI_${name.toUpperCase()}_PROVIDER=local, but ${modelsDir}/${manifestName} has no model for ${name}${which}: ` +
      'describe one there (docs/analysis.md)',
  );
}
