import { hash } from 'node:crypto';
import { counter, timing } from '../observability/metrics/index.ts';
import type { Analysis, AnalysisRequest } from './analysis.ts';
import { formerNameOf } from './analyzers.ts';
import { noCaptionRules, withoutForbidden } from './captions/caption-rules.ts';
import type { CaptionRules } from '../lib/caption-rules.ts';
import { ElementError } from '../lib/errors.ts';
import type { AnalyzerName, Facts, Outcome, Outcomes, Warning } from './facts.ts';
import type { BuiltinAnalyzer } from './open-builtin-analyzer.ts';
import { withFallBack } from './fall-back.ts';
import type { FallBack } from './fall-back.ts';
import { analyzerOf, capabilities, ProviderError } from './providers/provider.ts';
import type { Costs, EmbeddingModel, EmbedText, Model, Models, ModelPicture, Provider } from './providers/provider.ts';

/** The complete analyzer: the built-in one, and the models that replace parts of it. */
export type ImageAnalyzer = BuiltinAnalyzer &
  Readonly<{
    /** All available analyzers. */
    names: readonly AnalyzerName[];
    /** The analyzer that currently provides each result, and its version; results of any other are stale. */
    origins: Readonly<Partial<Record<AnalyzerName, Readonly<{ analyzer: string; version: string }>>>>;
    /** Changes whenever one of the origins does. */
    signature: string;
    /** Embeds text in the space of the picture embeddings; null if the model embeds pictures only. */
    embedText: EmbedText | null;
    /**
     * Finds an embedding model by the name and version stored with its vectors, so that records can be searched by a former
     * model. Null if it is neither built in nor available from its provider.
     */
    embedderOf: (named: string) => Embedder | null;
    /** Usage and cost of the providers' models since the start. */
    costs: () => Costs;
    /** Bytes of memory that models use in their own processes. */
    modelMemory: () => number;
  }>;

/** Embeds pictures, and texts if it can. */
type Embedder = Readonly<{
  embedPicture: (bytes: Buffer, waiting: Readonly<{ owner: number; signal: AbortSignal }>) => Promise<Int8Array>;
  embedText: EmbedText | null;
}>;

type ImageAnalyzerOptions = Readonly<{
  builtinAnalyzer: BuiltinAnalyzer;
  /** Versions of the built-in analyzers. */
  builtin: Readonly<Partial<Record<AnalyzerName, string>>>;
  providers: readonly Provider[];
  /** Whether the built-in analyzer provides what a model fails to provide. If a budget is spent, it does so in any case. */
  fallsBack?: boolean;
  /** Returns a tenant's rules for generated captions; no rules if absent. */
  captionRules?: CaptionRulesOf | undefined;
}>;

/** Returns the caption rules of a tenant. */
export type CaptionRulesOf = (owner: number) => Promise<CaptionRules>;

/** What an analysis needs besides the picture. */
type Parts = Readonly<{ builtinAnalyzer: BuiltinAnalyzer; replaced: Replacements; fallBack: FallBack }>;
type Replacements = ReadonlyMap<AnalyzerName, Model>;

/** Combines the built-in analyzer with the models of providers; if two provide the same result, the first one is used. */
export function createImageAnalyzer(options: ImageAnalyzerOptions): ImageAnalyzer {
  const { builtinAnalyzer, builtin, providers, fallsBack = false, captionRules } = options;
  const models: Models = Object.assign({}, ...providers.map((provider) => provider.models).toReversed());
  const replaced: Replacements = new Map(
    capabilities.flatMap((capability) => {
      const model = models[capability] as Model | undefined;
      return model === undefined ? [] : [[analyzerOf[capability], model] as const];
    }),
  );
  const origins: Record<string, { analyzer: string; version: string }> = {};
  for (const [name, version] of Object.entries(builtin)) origins[name] = { analyzer: 'builtin', version };
  for (const [name, { name: analyzer, version }] of replaced) origins[name] = { analyzer, version };
  const fallBack = { builtin: Object.keys(builtin) as AnalyzerName[], always: fallsBack };
  const embedder = providers.find((provider) => provider.models.embedding !== undefined);
  return {
    async analyze(request) {
      const { want, owner } = request;
      const isAsked = owner !== undefined && want.includes('caption');
      const rules = isAsked ? await captionRules?.(owner) : undefined;
      return counted(await analyzeWithin(rules ?? noCaptionRules, { builtinAnalyzer, replaced, fallBack }, request));
    },
    convert: builtinAnalyzer.convert,
    close: async () => {
      for (const provider of providers) provider.close?.();
      await builtinAnalyzer.close();
    },
    names: Object.keys(origins) as AnalyzerName[],
    origins,
    signature: signatureOf(origins),
    embedText: embedder?.embedText ?? null,
    embedderOf(named) {
      if (named === `builtin ${builtin.embedding}`) return builtinEmbedder(builtinAnalyzer);
      const own = embedder?.models.embedding;
      if (embedder !== undefined && own !== undefined && named === `${own.name} ${own.version}`) {
        return embedderBy({ model: own, embedText: embedder.embedText }, builtinAnalyzer);
      }
      for (const { embeddingModel } of providers) {
        const found = embeddingModel?.(named) ?? null;
        if (found !== null) return embedderBy(found, builtinAnalyzer);
      }
      return null;
    },
    modelMemory: () => providers.reduce((sum, provider) => sum + (provider.memory?.() ?? 0), 0),
    costs: () => Object.assign({}, ...providers.map((provider) => provider.costs())),
  };
}

function builtinEmbedder(builtinAnalyzer: BuiltinAnalyzer): Embedder {
  return {
    embedText: null,
    async embedPicture(bytes, waiting) {
      const { outcomes } = await builtinAnalyzer.analyze({ bytes, want: ['embedding'], isUrgent: true, ...waiting });
      const { result, error } = outcomes.embedding ?? {};
      if (result !== undefined) return result;
      throw new ProviderError(error?.code ?? 'failed', error?.message ?? 'the picture was not embedded');
    },
  };
}

function embedderBy({ model, embedText }: EmbeddingModel, builtinAnalyzer: BuiltinAnalyzer): Embedder {
  return {
    embedText,
    async embedPicture(bytes, waiting) {
      const picture = await pictureFor(builtinAnalyzer, { bytes, want: ['embedding'], isUrgent: true, ...waiting });
      return model.run(picture, { langs: ['en'], context: {}, ...waiting });
    },
  };
}

/** Hashes former names, so that renaming an analyzer does not make records stale. */
function signatureOf(origins: ImageAnalyzer['origins']): string {
  const text = Object.entries(origins)
    .map(([name, { analyzer, version }]) => `${formerNameOf(name)} ${analyzer} ${version}`)
    .toSorted()
    .join('\n');
  return hash('sha256', text, 'base64url').slice(0, 12);
}

async function analyzeWithin(rules: CaptionRules, means: Parts, request: AnalysisRequest): Promise<Analysis> {
  const analysis = await analyze(rules, means, request);
  const { outcomes, warnings } = withoutForbidden(analysis.outcomes, rules);
  return { ...analysis, outcomes, warnings: [...analysis.warnings, ...warnings] };
}

async function analyze(
  rules: CaptionRules,
  { builtinAnalyzer, replaced, fallBack }: Parts,
  request: AnalysisRequest,
): Promise<Analysis> {
  const theirs = request.want.filter((name) => replaced.has(name));
  if (theirs.length === 0) return builtinAnalyzer.analyze(request);
  // If the picture cannot be read, the models are stopped too.
  const leaving = new AbortController();
  const signal = request.signal === undefined ? leaving.signal : AbortSignal.any([request.signal, leaving.signal]);
  const want = request.want.filter((name) => !replaced.has(name));
  try {
    const [analysis, outcomes] = await Promise.all([
      builtinAnalyzer.analyze({ ...request, want, signal }),
      askModels(builtinAnalyzer, replaced, theirs, { ...request, signal, rules }),
    ]);
    const settled = await withFallBack(builtinAnalyzer, fallBack, { ...request, signal }, outcomes);
    return {
      ...analysis,
      outcomes: { ...analysis.outcomes, ...settled.outcomes },
      warnings: [...analysis.warnings, ...warningsOf(outcomes), ...settled.warnings],
    };
  } finally {
    leaving.abort();
  }
}

function counted(analysis: Analysis): Analysis {
  for (const [kind, { milliseconds, error }] of Object.entries(analysis.outcomes)) {
    const labels = { kind, analyzer: formerNameOf(kind) };
    timing('analyzer_seconds', labels).observe(milliseconds / 1000);
    if (error !== undefined) counter('analyzer_failures_total', { ...labels, code: error.code }).add();
  }
  return analysis;
}

type ModelRequest = AnalysisRequest & Readonly<{ signal: AbortSignal; rules: CaptionRules }>;

function warningsOf(outcomes: Outcomes): Warning[] {
  return Object.values(outcomes).flatMap(({ warnings = [] }) => warnings);
}

async function askModels(
  builtinAnalyzer: BuiltinAnalyzer,
  replaced: Replacements,
  names: readonly AnalyzerName[],
  request: ModelRequest,
): Promise<Outcomes> {
  const picture = await pictureFor(builtinAnalyzer, request).catch((error: unknown) => {
    if (error instanceof ElementError) return null;
    throw error;
  });
  if (picture === null) return {}; // The decoder reports what is wrong with it, better than we could.
  const outcomes = names.map(async (name) => [name, await ask(replaced.get(name) as Model, picture, request)] as const);
  return Object.fromEntries(await Promise.all(outcomes)) as Outcomes;
}

async function ask(
  model: Model,
  picture: ModelPicture,
  { langs = [], context = {}, owner, signal, rules }: ModelRequest,
): Promise<Outcome<Facts[AnalyzerName]>> {
  const warnings: Warning[] = [];
  const origin = { analyzer: model.name, version: model.version };
  const began = performance.now();
  const milliseconds = () => Math.round(performance.now() - began);
  try {
    const result = await model.run(picture, {
      langs: langs.length === 0 ? ['en'] : langs,
      context,
      captionRules: rules,
      warn: (warning) => warnings.push(warning),
      signal,
      ...(owner !== undefined && { owner }),
    });
    return { ...origin, milliseconds: milliseconds(), ...(warnings.length > 0 && { warnings }), result };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    return { ...origin, milliseconds: milliseconds(), error: { code: error.code, message: error.message } };
  }
}

async function pictureFor(builtinAnalyzer: BuiltinAnalyzer, request: AnalysisRequest): Promise<ModelPicture> {
  const { bytes, width, height } = await builtinAnalyzer.convert({ ...request, conversion: { to: 'model' } });
  return { jpeg: bytes, width, height };
}
