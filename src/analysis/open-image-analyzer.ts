import type { AiConfig, AiProvider } from '../config/ai-config.ts';
import type { Config } from '../config/config.ts';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import type { Answers } from '../lib/answers.ts';
import type { Logger } from '../observability/logger.ts';
import { analyzers } from './analyzers.ts';
import type { AnalyzerName } from './facts.ts';
import { openBuiltinAnalyzer } from './open-builtin-analyzer.ts';
import { keywordCandidates } from './providers/candidates.ts';
import { createHuggingFace } from './providers/huggingface/index.ts';
import { createLocal } from './providers/local/index.ts';
import { capabilities } from './providers/provider.ts';
import type { Provider } from './providers/provider.ts';
import { createImageAnalyzer } from './image-analyzer.ts';
import type { ImageAnalyzer } from './image-analyzer.ts';

export type OpenImageAnalyzerOptions = Readonly<{
  ai: AiConfig;
  /** Threads that analyze at the same time. */
  threads: number;
  /** For decoding one picture, and all large ones together, in bytes. */
  decodeMemory?: number;
  logger: Logger;
  /** Counts what this process answers; stored pictures yield to it. */
  answers?: Answers;
  /** The tenants that this process serves. */
  activeTenants?: ActiveTenants;
  /** The built-in analyzers to be used; all if absent. */
  names?: readonly AnalyzerName[];
}>;

/** What the configuration of the service says about analyzing pictures. */
export function analyzerOptions({ ai, workers, decodeMemory }: Pick<Config, 'ai' | 'workers' | 'decodeMemory'>) {
  return { ai, threads: workers, decodeMemory };
}

/** Opens everything that the configuration names; threads and models start at first use. */
export function openImageAnalyzer({ ai, names, ...process }: OpenImageAnalyzerOptions): ImageAnalyzer {
  const served = (provider: AiProvider) => capabilities.filter((name) => ai.providers[name] === provider);
  const providers: Provider[] = [];
  const [theirs, ours] = [served('huggingface'), served('local')];
  const { models, hfToken: token, hfEndpoint: endpoint, localModelsDir: modelsDir, tessdataDir } = ai;
  if (theirs.length > 0) {
    providers.push(createHuggingFace({ serves: theirs, models, token, endpoint, candidates: keywordCandidates }));
  }
  if (ours.length > 0) providers.push(createLocal({ serves: ours, models, modelsDir }));
  const builtinAnalyzer = openBuiltinAnalyzer({ tessdataDir, ...process });
  const rows = Object.entries(analyzers).filter(([name]) => names?.includes(name as AnalyzerName) ?? true);
  const builtin = Object.fromEntries(rows.map(([name, { version }]) => [name, version]));
  return createImageAnalyzer({ builtinAnalyzer, builtin, providers });
}
