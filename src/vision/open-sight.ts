import type { AiConfig, AiProvider } from '../ai-config.ts';
import type { Logger } from '../logger.ts';
import { analyzers } from './analyzers.ts';
import type { AnalyzerName } from './facts.ts';
import { openVision } from './open-vision.ts';
import { keywordCandidates } from './providers/candidates.ts';
import { createHuggingFace } from './providers/huggingface/index.ts';
import { createLocal } from './providers/local/index.ts';
import { capabilities } from './providers/provider.ts';
import type { Provider } from './providers/provider.ts';
import { createSight } from './sight.ts';
import type { Sight } from './sight.ts';

export type OpenSightOptions = Readonly<{
  ai: AiConfig;
  /** Threads that analyse at the same time. */
  threads: number;
  logger: Logger;
  /** What is built in that is to be used; everything if absent. */
  names?: readonly AnalyzerName[];
}>;

/** Opens all that the configuration names; threads and models start when they are needed first. */
export function openSight({ ai, threads, logger, names }: OpenSightOptions): Sight {
  const served = (provider: AiProvider) => capabilities.filter((name) => ai.providers[name] === provider);
  const providers: Provider[] = [];
  const [theirs, ours] = [served('huggingface'), served('local')];
  const { models, hfToken: token, hfEndpoint: endpoint, localModelsDir: modelsDir, tessdataDir } = ai;
  if (theirs.length > 0) {
    providers.push(createHuggingFace({ serves: theirs, models, token, endpoint, candidates: keywordCandidates }));
  }
  if (ours.length > 0) providers.push(createLocal({ serves: ours, models, modelsDir }));
  const vision = openVision({ threads, tessdataDir, logger });
  const rows = Object.entries(analyzers).filter(([name]) => names?.includes(name as AnalyzerName) ?? true);
  const builtin = Object.fromEntries(rows.map(([name, { version }]) => [name, version]));
  return createSight({ vision, builtin, providers });
}
