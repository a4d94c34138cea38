import type { AiConfig } from '../config/ai-config.ts';
import type { Config } from '../config/config.ts';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import type { Answers } from '../lib/answers.ts';
import type { Proxies } from '../lib/proxies.ts';
import type { Logger } from '../observability/logger.ts';
import { analyzers } from './analyzers.ts';
import type { AnalyzerName } from './facts.ts';
import { findOnnxRuntime } from './networks/find-onnx-runtime.ts';
import { openBuiltinAnalyzer } from './open-builtin-analyzer.ts';
import { keywordCandidates } from './providers/candidates.ts';
import { createHuggingFace } from './providers/huggingface/index.ts';
import { remoteCapabilities } from './providers/huggingface/models.ts';
import { chooseLocal } from './providers/local/choose-local.ts';
import { createLocal } from './providers/local/index.ts';
import { createOwnModels } from './providers/local/own-models.ts';
import type { Provider, SpendCall } from './providers/provider.ts';
import { createImageAnalyzer } from './image-analyzer.ts';
import type { CaptionRulesOf, ImageAnalyzer } from './image-analyzer.ts';

type OpenImageAnalyzerOptions = Readonly<{
  ai: AiConfig;
  /** Proxies for requests to Hugging Face and to endpoints; none if absent. */
  proxies?: Proxies;
  /** Counts calls of remote models against the budgets of tenants; no budgets if absent. */
  spend?: SpendCall | undefined;
  /** Returns the tenants' rules for generated captions; no rules if absent. */
  captionRules?: CaptionRulesOf | undefined;
  /** Number of threads that analyze at the same time. */
  threads: number;
  /** Memory in bytes for decoding one picture, and for all large ones together. */
  decodeMemory?: number;
  logger: Logger;
  /** Counts the requests being answered; stored pictures yield to them. */
  answers?: Answers;
  /** The tenants that this process serves. */
  activeTenants?: ActiveTenants;
  /** The built-in analyzers to be used; all if absent. */
  names?: readonly AnalyzerName[];
}>;

/** The settings for analyzing pictures from the service's configuration. */
export function analyzerOptions({
  ai,
  workers,
  decodeMemory,
  proxies,
}: Pick<Config, 'ai' | 'workers' | 'decodeMemory' | 'proxies'>) {
  return { ai, threads: workers, decodeMemory, proxies };
}

/** Opens the configured analyzers and providers; threads and models start at first use. */
export function openImageAnalyzer({ ai, names, captionRules, ...process }: OpenImageAnalyzerOptions): ImageAnalyzer {
  const providers = openProviders({ ai, ...process });
  const { tessdataDir } = ai;
  const builtinAnalyzer = openBuiltinAnalyzer({ tessdataDir, onnxRuntime: findOnnxRuntime(ai), ...process });
  const rows = Object.entries(analyzers).filter(([name]) => names?.includes(name as AnalyzerName) ?? true);
  const builtin = Object.fromEntries(rows.map(([name, { version }]) => [name, version]));
  return createImageAnalyzer({ builtinAnalyzer, builtin, providers, fallsBack: ai.fallsBack, captionRules });
}

function openProviders({ ai, proxies, spend, threads }: OpenImageAnalyzerOptions): Provider[] {
  const providers: Provider[] = [];
  const { models, hfToken: token, hfEndpoint: endpoint, modelsDir, modelsMemory: memoryBytes } = ai;
  const remote = remoteCapabilities.filter((name) => ai.providers[name] === 'huggingface');
  if (remote.length > 0) {
    const through = proxies === undefined ? {} : { proxies };
    const own = { serves: remote, models, token, endpoint, endpoints: ai.endpoints, candidates: keywordCandidates };
    providers.push(createHuggingFace({ ...own, ...through, spend }));
  }
  const { own, transformers, embeddings } = chooseLocal(ai);
  if (own.length > 0) providers.push(createOwnModels({ entries: own, embeddings, modelsDir, memoryBytes, threads }));
  if (transformers.length > 0) providers.push(createLocal({ serves: transformers, models, modelsDir }));
  return providers;
}
