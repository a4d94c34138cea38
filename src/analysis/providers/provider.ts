import type { CaptionRules } from '../../lib/caption-rules.ts';
import type { AnalyzerErrorCode, AnalyzerName, PictureContext, Facts, Language, Warning } from '../facts.ts';

/** What a provider other than the built-in one can provide, each with its own model. */
export const capabilities = ['caption', 'keywords', 'ocr', 'embedding', 'nsfw', 'faces'] as const;
export type Capability = (typeof capabilities)[number];

/** The analyzer that a capability replaces. */
export const analyzerOf = {
  caption: 'caption',
  keywords: 'concepts',
  ocr: 'ocr',
  embedding: 'embedding',
  nsfw: 'nsfw',
  faces: 'faces',
} as const satisfies Record<Capability, AnalyzerName>;

export type CapabilityResult<C extends Capability> = Facts[(typeof analyzerOf)[C]];

/** A picture as it is sent to a model: upright, bounded, JPEG. */
export type ModelPicture = Readonly<{ jpeg: Buffer; width: number; height: number }>;

export type ProviderOptions = Readonly<{
  langs: readonly Language[];
  context: PictureContext;
  /** The tenant's rules for captions; none if absent. */
  captionRules?: CaptionRules;
  /** Adds a warning to the result: a remark that is not a failure. */
  warn?: (warning: Warning) => void;
  /** The tenant whose budget pays; none if absent. */
  owner?: number;
  signal: AbortSignal;
}>;

/** A model of a provider for a capability. */
export type Model<C extends Capability = Capability> = Readonly<{
  /** Provider and model, as provenance names them: `huggingface:owner/name`. */
  name: string;
  version: string;
  /** @throws ProviderError */
  run: (picture: ModelPicture, options: ProviderOptions) => Promise<CapabilityResult<C>>;
}>;

export type Models = { readonly [C in Capability]?: Model<C> };

/** Counters of the requests to one model and their cost, since the start. */
export type ModelCost = {
  requests: number;
  retries: number;
  failures: number;
  /** Calls that were not made, because the model had failed too often just before or a budget was spent. */
  refused: number;
  milliseconds: number;
  bytesSent: number;
  bytesReceived: number;
  /** For language models only, as they report it. */
  tokensIn: number;
  tokensOut: number;
};

/** By the model's name. */
export type Costs = Readonly<Record<string, Readonly<ModelCost>>>;

/** Embeds text in the vector space of the picture embeddings of the same model, for searches. */
export type EmbedText = (text: string, signal: AbortSignal, owner?: number) => Promise<Int8Array>;

/**
 * Counts one call of a model against its owner's daily budget. False if the budget is spent, so that the call must not be
 * made.
 */
export type SpendCall = (owner: number | undefined, capability: Capability) => Promise<boolean>;

/** An embedding model, and how it embeds texts; null if it embeds pictures only. */
export type EmbeddingModel = Readonly<{ model: Pick<Model<'embedding'>, 'run'>; embedText: EmbedText | null }>;

/** A set of models that are configured together. */
export type Provider = Readonly<{
  models: Models;
  /** Null if the configured model embeds pictures only, or none is configured. */
  embedText: EmbedText | null;
  /** Finds an embedding model by the name and version of its vectors, chosen or not; null if it is not available. */
  embeddingModel?: (named: string) => EmbeddingModel | null;
  costs: () => Costs;
  /** Bytes of memory that its models use outside of this process; absent if they use none, null while unknown. */
  memory?: () => number | null;
  /** Ends what the provider has started; absent if it starts nothing. */
  close?: () => void;
}>;

/** Why a provider returned no result. */
export class ProviderError extends Error {
  readonly code: AnalyzerErrorCode;

  constructor(code: AnalyzerErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'ProviderError';
    this.code = code;
  }
}

/** Converts a vector of any length to bytes, scaled by its largest value, so that only its direction is kept for cosines. */
export function toDirection(vector: readonly number[]): Int8Array {
  const largest = Math.max(...vector.map(Math.abs));
  if (!Number.isFinite(largest) || largest === 0)
    throw new ProviderError('failed', 'the model returned a vector of zeros');
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}
