import { resolve } from 'node:path';
import { z } from 'zod';
import { httpUrl, memory } from './config-values.ts';

const model = z
  .string()
  .regex(/^(?:[a-z-]+:)?[\w.-]+(?:\/[\w.-]+)*$/, { error: 'must be owner/name, or task:owner/name' })
  .optional();

/** The capabilities that a provider can be chosen for, with the word for each in the names of its variables. */
const aiCapabilities = {
  caption: 'CAPTION',
  keywords: 'KEYWORDS',
  ocr: 'OCR',
  embedding: 'EMBEDDING',
  nsfw: 'NSFW',
  faces: 'FACES',
} as const;
export type AiCapability = keyof typeof aiCapabilities;
/** The capabilities of remote models: no task of Hugging Face finds faces. */
type RemoteName = Exclude<AiCapability, 'faces'>;
const remoteWords = Object.entries(aiCapabilities).filter(([name]) => name !== 'faces') as [
  RemoteName,
  (typeof aiCapabilities)[RemoteName],
][];
export const aiProviders = ['builtin', 'huggingface', 'local'] as const;
export type AiProvider = (typeof aiProviders)[number];
const capability = z.enum(aiProviders);
const withoutHuggingFace = z.enum(['builtin', 'local']);

const endpoint = z.string().refine((value) => /^https?:\/\//.test(value), {
  error: 'must start with http:// or https://',
});
/** Prices by capability, comma-separated. */
const prices = z.string().transform((text, context): Partial<Record<RemoteName, number>> => {
  const pairs = text.split(',').map((pair) => /^\s*(\w+)\s*=\s*(\d{1,6}(?:\.\d{1,6})?)\s*$/.exec(pair));
  const names = remoteWords.map(([name]) => name as string);
  if (pairs.every((pair) => names.includes(pair?.[1] ?? ''))) {
    return Object.fromEntries(pairs.map((pair) => [pair?.[1], Number(pair?.[2])]));
  }
  context.addIssue({
    code: 'custom',
    message: `must be prices of ${names.join(', ')}, such as caption=0.002,ocr=0.001`,
  });
  return z.NEVER;
});
const folder = z.string().transform((value) => resolve(value));

const provider = 'Provider of one capability; `AI_PROVIDER` if absent';
const modelOf = 'Its model: `owner/name`, `task:owner/name`, or for `local` a name in `models.json`';
const endpointOf = 'Its own inference endpoint; `HF_ENDPOINT` if absent';

/** The variables about analysis; part of the table in config.ts. */
export const aiVariables = {
  AI_ANALYSIS: {
    schema: z.enum(['on', 'off']).default('on'),
    meaning: 'Whether stored pictures are analyzed, unless the tenant has its own setting',
  },
  AI_PROVIDER: {
    schema: capability.default('builtin'),
    meaning: 'Provider of image analysis: `builtin`, `huggingface` or `local`',
  },
  AI_CAPTION_PROVIDER: { schema: capability.optional(), meaning: provider },
  AI_KEYWORDS_PROVIDER: { schema: capability.optional(), meaning: provider },
  AI_OCR_PROVIDER: { schema: capability.optional(), meaning: provider },
  AI_EMBEDDING_PROVIDER: { schema: capability.optional(), meaning: provider },
  AI_NSFW_PROVIDER: { schema: capability.optional(), meaning: provider },
  AI_FACES_PROVIDER: { schema: withoutHuggingFace.optional(), meaning: 'Provider of faces: `builtin` or `local`' },
  AI_CAPTION_MODEL: {
    schema: model,
    meaning: modelOf,
  },
  AI_KEYWORDS_MODEL: { schema: model, meaning: modelOf },
  AI_OCR_MODEL: { schema: model, meaning: modelOf },
  AI_EMBEDDING_MODEL: { schema: model, meaning: modelOf },
  AI_NSFW_MODEL: { schema: model, meaning: modelOf },
  AI_FACES_MODEL: { schema: model, meaning: modelOf },
  AI_FALLBACK: {
    schema: z.enum(['none', 'builtin']).default('none'),
    meaning: 'What replaces a model that fails: nothing, or the built-in analyzer (`builtin`)',
  },
  HF_TOKEN: { schema: z.string().optional(), meaning: 'Hugging Face token' },
  HF_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: 'Your own inference endpoint; `{model}` and `{task}` are replaced',
  },
  AI_CAPTION_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: endpointOf,
  },
  AI_KEYWORDS_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: endpointOf,
  },
  AI_OCR_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: endpointOf,
  },
  AI_EMBEDDING_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: endpointOf,
  },
  AI_NSFW_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: endpointOf,
  },
  AI_PRICES: {
    schema: prices.default({}),
    meaning: 'Prices per call of Hugging Face or an endpoint, for `ai_cost_day`, such as `caption=0.002,ocr=0.001`',
  },
  MODELS_DIR: {
    schema: folder.optional(),
    meaning: 'Folder with the models of provider `local` and their `models.json`',
  },
  MODELS_MEMORY: {
    schema: memory.prefault('2GiB'),
    meaning: 'Memory for files of models; the least recently used are unloaded',
  },
  MODELS_HUB: {
    schema: httpUrl.default('https://huggingface.co'),
    meaning: 'Hugging Face hub, or a mirror of it, that `vitrine models add` fetches from',
  },
  LOCAL_MODELS_DIR: { schema: folder.optional(), meaning: 'Deprecated: the former name of `MODELS_DIR`' },
  AI_RUNTIME: {
    schema: z.enum(['auto', 'wasm']).default('auto'),
    meaning: 'What runs the built-in networks: `auto` is ONNX Runtime if it can be loaded, else WebAssembly',
  },
  TESSDATA_DIR: {
    schema: folder.optional(),
    meaning: 'Folder with more OCR languages, such as `rus.traineddata`',
  },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Values = { [N in keyof typeof aiVariables]: z.output<(typeof aiVariables)[N]['schema']> };

/** Which provider serves each capability, and with which model. */
export type AiConfig = Readonly<{
  /** Whether stored pictures are analyzed, unless the tenant has its own setting. */
  isOn: boolean;
  providers: Readonly<Record<AiCapability, AiProvider>>;
  /** Capabilities whose provider is set by a variable of their own. */
  named: readonly AiCapability[];
  models: Readonly<Partial<Record<AiCapability, string>>>;
  /** Whether the built-in analyzer fills in what a model fails to return. */
  fallsBack: boolean;
  hfToken: string | undefined;
  hfEndpoint: string | undefined;
  /** Dedicated endpoints, which take precedence over `hfEndpoint`. */
  endpoints: Readonly<Partial<Record<AiCapability, string>>>;
  /** Price of one call, in the currency of the tenants' budgets. */
  prices: Readonly<Partial<Record<AiCapability, number>>>;
  modelsDir: string;
  /** Memory for the files of models, in bytes. */
  modelsMemory: number;
  /** Without a trailing slash. */
  modelsHub: string;
  /** Whether ONNX Runtime runs the built-in networks where it can be loaded. */
  usesOnnxRuntime: boolean;
  tessdataDir: string | undefined;
}>;

/** Builds the configuration from the variables about analysis. */
export function toAiConfig(values: Values): AiConfig {
  const words = Object.entries(aiCapabilities) as [AiCapability, (typeof aiCapabilities)[AiCapability]][];
  const models = words.flatMap(([name, word]) => {
    const id = values[`AI_${word}_MODEL`];
    return id === undefined ? [] : [[name, id] as const];
  });
  const endpoints = remoteWords.flatMap(([name, word]) => {
    const address = values[`AI_${word}_ENDPOINT`];
    return address === undefined ? [] : [[name, address] as const];
  });
  return {
    isOn: values.AI_ANALYSIS === 'on',
    providers: Object.fromEntries(
      words.map(([name, word]) => [name, values[`AI_${word}_PROVIDER`] ?? fallbackProvider(name, values.AI_PROVIDER)]),
    ) as AiConfig['providers'],
    named: words.flatMap(([name, word]) => (values[`AI_${word}_PROVIDER`] === undefined ? [] : [name])),
    models: Object.fromEntries(models),
    fallsBack: values.AI_FALLBACK === 'builtin',
    hfToken: values.HF_TOKEN,
    hfEndpoint: values.HF_ENDPOINT,
    endpoints: Object.fromEntries(endpoints),
    prices: values.AI_PRICES,
    modelsDir: values.MODELS_DIR ?? values.LOCAL_MODELS_DIR ?? resolve('./models'),
    modelsMemory: values.MODELS_MEMORY,
    modelsHub: values.MODELS_HUB.replace(/\/+$/, ''),
    usesOnnxRuntime: values.AI_RUNTIME === 'auto',
    tessdataDir: values.TESSDATA_DIR,
  };
}

/** The same configuration with one provider for everything that it can do. */
export function withProvider(ai: AiConfig, provider: AiProvider): AiConfig {
  const names = Object.keys(aiCapabilities) as AiCapability[];
  const providers = Object.fromEntries(names.map((name) => [name, fallbackProvider(name, provider)]));
  return { ...ai, providers: providers as AiConfig['providers'], named: [] };
}

/** What a provider cannot do is left to the built-in analyzer, unless it is requested by name. */
function fallbackProvider(name: AiCapability, provider: AiProvider): AiProvider {
  return provider === 'huggingface' && name === 'faces' ? 'builtin' : provider;
}
