import type { AiConfig, AiProvider } from '../ai-config.ts';
import type { Logger } from '../logger.ts';
import { openVision } from './index.ts';
import type { AnalyzerName, Vision } from './index.ts';
import { createHuggingFace } from './providers/huggingface/index.ts';
import type { Labels } from './providers/huggingface/answers.ts';
import { createLocal } from './providers/local/index.ts';
import { capabilities } from './providers/provider.ts';
import type { Provider } from './providers/provider.ts';
import { createSight } from './sight.ts';
import type { Sight } from './sight.ts';

export type OpenSightOptions = Readonly<{
  ai: AiConfig;
  threads: number;
  logger: Logger;
  builtin: Readonly<Partial<Record<AnalyzerName, string>>>;
  candidates: readonly Labels[];
  /** What is built in, where it is open already. */
  vision?: Vision;
}>;

/** Opens all that the configuration names; models are asked for the first time when they are needed. */
export function openSight({ ai, threads, logger, builtin, candidates, ...rest }: OpenSightOptions): Sight {
  const served = (provider: AiProvider) => capabilities.filter((name) => ai.providers[name] === provider);
  const providers: Provider[] = [];
  const [theirs, ours] = [served('huggingface'), served('local')];
  const { models, hfToken: token, hfEndpoint: endpoint, localModelsDir: modelsDir, tessdataDir } = ai;
  if (theirs.length > 0) providers.push(createHuggingFace({ serves: theirs, models, token, endpoint, candidates }));
  if (ours.length > 0) providers.push(createLocal({ serves: ours, models, modelsDir }));
  const vision = rest.vision ?? openVision({ threads, tessdataDir, logger });
  return createSight({ vision, builtin, providers });
}
