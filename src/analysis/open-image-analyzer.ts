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

export type OpenImageAnalyzerOptions = Readonly<{
  ai: AiConfig;
  /** Of requests to Hugging Face and endpoints; none if absent. */
  proxies?: Proxies;
  /** The budgets of tenants for models of others; none if absent. */
  spend?: SpendCall | undefined;
  /** What tenants want of generated captions; nothing if absent. */
  captionRules?: CaptionRulesOf | undefined;
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
export function analyzerOptions({
  ai,
  workers,
  decodeMemory,
  proxies,
}: Pick<Config, 'ai' | 'workers' | 'decodeMemory' | 'proxies'>) {
  return { ai, threads: workers, decodeMemory, proxies };
}

/** Opens everything that the configuration names; threads and models start at first use. */
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
