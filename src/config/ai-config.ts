import { resolve } from 'node:path';
import { z } from 'zod';

const capability = z.enum(['builtin', 'huggingface', 'local']);
/** What can be had without models on this machine. */
const withoutLocal = z.enum(['builtin', 'huggingface']);
const model = z
  .string()
  .regex(/^(?:[a-z-]+:)?[\w.-]+(?:\/[\w.-]+)*$/, { error: 'must be owner/name, or task:owner/name' })
  .optional();

/** What a provider can be chosen for, by the word that its variables have. */
const aiCapabilities = {
  caption: 'CAPTION',
  keywords: 'KEYWORDS',
  ocr: 'OCR',
  embedding: 'EMBEDDING',
  nsfw: 'NSFW',
} as const;
export type AiCapability = keyof typeof aiCapabilities;
export type AiProvider = 'builtin' | 'huggingface' | 'local';

const endpoint = z.string().refine((value) => /^https?:\/\//.test(value), {
  error: 'must start with http:// or https://',
});
const folder = z.string().transform((value) => resolve(value));

/** The variables about analysis; a part of the table in config.ts. */
export const aiVariables = {
  AI_ANALYSIS: {
    schema: z.enum(['on', 'off']).default('on'),
    meaning: 'Whether stored pictures are analyzed, unless the tenant has its own setting',
  },
  AI_PROVIDER: { schema: capability.default('builtin'), meaning: 'Default provider of image analysis' },
  AI_CAPTION_PROVIDER: { schema: capability.optional(), meaning: 'Provider of captions; `AI_PROVIDER` if absent' },
  AI_KEYWORDS_PROVIDER: { schema: withoutLocal.optional(), meaning: 'Provider of keywords' },
  AI_OCR_PROVIDER: { schema: withoutLocal.optional(), meaning: 'Provider of OCR' },
  AI_EMBEDDING_PROVIDER: { schema: capability.optional(), meaning: 'Provider of embeddings for similarity search' },
  AI_NSFW_PROVIDER: { schema: withoutLocal.optional(), meaning: 'Provider of NSFW detection' },
  AI_CAPTION_MODEL: { schema: model, meaning: 'Its model, `owner/name` or `task:owner/name`' },
  AI_KEYWORDS_MODEL: { schema: model, meaning: 'Model for keywords' },
  AI_OCR_MODEL: { schema: model, meaning: 'Model for OCR' },
  AI_EMBEDDING_MODEL: { schema: model, meaning: 'Model for embeddings' },
  AI_NSFW_MODEL: { schema: model, meaning: 'Model for NSFW detection' },
  HF_TOKEN: { schema: z.string().optional(), meaning: 'Hugging Face token' },
  HF_ENDPOINT: {
    schema: endpoint.optional(),
    meaning: 'Your own inference endpoint; `{model}` and `{task}` are replaced',
  },
  LOCAL_MODELS_DIR: {
    schema: folder.default(resolve('./models')),
    meaning: 'Folder with the models of provider `local`, in the layout of Hugging Face',
  },
  TESSDATA_DIR: {
    schema: folder.optional(),
    meaning: 'Folder with more OCR languages, such as `rus.traineddata`',
  },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Values = { [N in keyof typeof aiVariables]: z.output<(typeof aiVariables)[N]['schema']> };

/** Who sees what, and with which model. */
export type AiConfig = Readonly<{
  /** Whether stored pictures are analyzed, unless the tenant has its own setting. */
  isOn: boolean;
  providers: Readonly<Record<AiCapability, AiProvider>>;
  models: Readonly<Partial<Record<AiCapability, string>>>;
  hfToken: string | undefined;
  hfEndpoint: string | undefined;
  localModelsDir: string;
  tessdataDir: string | undefined;
}>;

/** What the variables about analysis say together. */
export function toAiConfig(values: Values): AiConfig {
  const words = Object.entries(aiCapabilities);
  const models = words.flatMap(([name, word]) => {
    const id = values[`AI_${word}_MODEL`];
    return id === undefined ? [] : [[name, id] as const];
  });
  return {
    isOn: values.AI_ANALYSIS === 'on',
    providers: Object.fromEntries(
      words.map(([name, word]) => [name, values[`AI_${word}_PROVIDER`] ?? fallbackProvider(name, values.AI_PROVIDER)]),
    ) as AiConfig['providers'],
    models: Object.fromEntries(models),
    hfToken: values.HF_TOKEN,
    hfEndpoint: values.HF_ENDPOINT,
    localModelsDir: values.LOCAL_MODELS_DIR,
    tessdataDir: values.TESSDATA_DIR,
  };
}

/** What a provider cannot do is left to what is built in, unless it is asked for by name. */
function fallbackProvider(capability: string, provider: AiProvider): AiProvider {
  return provider === 'local' && capability !== 'caption' && capability !== 'embedding' ? 'builtin' : provider;
}
