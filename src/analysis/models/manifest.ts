import { z } from 'zod';
import { languages } from '../facts.ts';

/** The file in MODELS_DIR that lists the models there, and how each is run. */
export const manifestName = 'models.json';

/** A whole number of pixels, or width and height. */
const side = z.int().min(8).max(4096);
const triple = z.tuple([z.number(), z.number(), z.number()]);
const fraction = z.number().min(0).max(1);

const path = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => !/^[/\\]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(text), {
    error: `must be relative to the folder of ${manifestName}, and stay in it`,
  });
const file = z.strictObject({
  path,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits: sha256sum FILE prints them' }),
});
export type ModelFile = z.output<typeof file>;

/** How pixels are converted to the input of a network: (value · scale − mean) / std. */
const preprocessing = z.strictObject({
  size: z.union([side, z.tuple([side, side])]),
  mean: triple.default([0, 0, 0]),
  std: triple.refine((values) => values.every((value) => value > 0), { error: 'must be above 0' }).default([1, 1, 1]),
  scale: z
    .number()
    .positive()
    .default(1 / 255),
  layout: z.enum(['nchw', 'nhwc']).default('nchw'),
  channels: z.enum(['rgb', 'bgr']).default('rgb'),
  /** Cropped to the shape of the input, stretched to it, or fitted into it with a border of the mean. */
  resize: z.enum(['crop', 'stretch', 'pad']).default('stretch'),
  interpolation: z.enum(['bicubic', 'bilinear', 'lanczos', 'nearest']).default('bicubic'),
});
export type Preprocessing = z.output<typeof preprocessing>;

const word = z.string().trim().min(1).max(200);
/** A keyword: in English, or in several languages; a missing language uses the English word. */
const keyword = z.union([word, z.strictObject({ en: word, ...optionalWords() })]);

function optionalWords() {
  return Object.fromEntries(languages.filter((lang) => lang !== 'en').map((lang) => [lang, word.optional()]));
}

const common = {
  name: z.string().regex(/^[\w.-]{1,80}$/, { error: 'must be letters, digits, dots, dashes and underscores' }),
  license: z.string().min(1).max(200),
  /** Where the model comes from. */
  source: z.url().optional(),
  preprocessing,
  /** Number of pictures per run; networks exported for one picture need 1. */
  batch: z.int().min(1).max(64).default(1),
  /** `auto` uses a GPU if the runtime can; the name of an execution provider requires that one. */
  gpu: z.enum(['auto', 'off', 'cuda', 'tensorrt', 'dml', 'coreml', 'webgpu']).default('auto'),
};
const activation = z.enum(['softmax', 'sigmoid', 'none']);

/** Text input of a network: at most `tokens` tokens; with `pad`, the id of the padding token, exactly that many. */
const texts = z
  .strictObject({ tokens: z.int().min(2).max(4096).default(77), pad: z.int().min(0).optional() })
  .prefault({});

const embedding = z.strictObject({
  ...common,
  task: z.literal('embedding'),
  /** Without `text` and `tokenizer` it embeds pictures only. */
  files: z.strictObject({ image: file, text: file.optional(), tokenizer: file.optional() }),
  texts,
});

const keywords = z.strictObject({
  ...common,
  task: z.literal('keywords'),
  /** With `text` and `tokenizer`, pictures are compared with the labels as texts; otherwise the labels are its classes. */
  files: z.strictObject({ image: file, text: file.optional(), tokenizer: file.optional() }),
  texts,
  labels: z.array(keyword).min(1).max(20_000).optional(),
  /** The input of the text model; `{}` is replaced by the label. */
  prompt: z.string().includes('{}').max(500).default('a photo of {}'),
  /** Convert similarities to probabilities: `factor` · cosine + `bias`, then the activation. */
  factor: z.number().default(100),
  bias: z.number().default(0),
  activation: activation.default('softmax'),
  thresholds: z.strictObject({ keywords: fraction.default(0.05) }).prefault({}),
});

const nsfw = z.strictObject({
  ...common,
  task: z.literal('nsfw'),
  files: z.strictObject({ image: file }),
  labels: z.array(word).min(1).max(1000),
  /** The labels that are not safe for work. */
  unsafe: z.array(word).min(1),
  activation: activation.default('softmax'),
  thresholds: z.strictObject({ nsfw: fraction.default(0.5) }).prefault({}),
});

const faces = z.strictObject({
  ...common,
  task: z.literal('faces'),
  files: z.strictObject({ image: file }),
  /** Outputs: scores [1, N, 2] (background, face) or [1, N, 1], boxes [1, N, 4] (left, top, right, bottom). */
  outputs: z.strictObject({ scores: word.default('scores'), boxes: word.default('boxes') }).prefault({}),
  /** Whether boxes are in fractions of the input or in its pixels. */
  boxes: z.enum(['fractions', 'pixels']).default('fractions'),
  thresholds: z.strictObject({ faces: fraction.default(0.7), overlap: fraction.default(0.3) }).prefault({}),
});

const caption = z.strictObject({
  ...common,
  task: z.literal('caption'),
  files: z.strictObject({ encoder: file, decoder: file, tokenizer: file }),
  /** Ids of the tokens that start and end a caption. */
  tokens: z.strictObject({ start: z.int().min(0), end: z.int().min(0) }),
  maxTokens: z.int().min(1).max(256).default(32),
  lang: z.enum(languages).default('en'),
});

const ocr = z.strictObject({
  ...common,
  task: z.literal('ocr'),
  /** `detection` finds lines; without it, the whole picture is one. `preprocessing` applies to `recognition`. */
  files: z.strictObject({ recognition: file, detection: file.optional() }),
  detection: preprocessing.optional(),
  /** The characters by class, from class 1 on; class 0 of the network is no character (CTC blank). */
  labels: z.array(z.string().min(1).max(4)).min(1).max(50_000),
  thresholds: z.strictObject({ ocr: fraction.default(0.5), detection: fraction.default(0.3) }).prefault({}),
});

export const modelEntrySchema = z
  .discriminatedUnion('task', [embedding, keywords, nsfw, faces, caption, ocr])
  .superRefine((entry, context) => {
    const say = (...[at, message]: [(string | number)[], string]) =>
      context.addIssue({ code: 'custom', path: at, message });
    if ('image' in entry.files && 'text' in entry.files) {
      const { text, tokenizer } = entry.files;
      if ((text === undefined) !== (tokenizer === undefined)) say(['files'], 'text and tokenizer go together');
    }
    if (entry.task === 'keywords' && entry.files.text === undefined && entry.labels === undefined) {
      say(['labels'], 'are needed where there is no text model: the names of the classes, in their order');
    }
    if (entry.task === 'nsfw') {
      for (const [index, label] of entry.unsafe.entries()) {
        if (!entry.labels.includes(label)) say(['unsafe', index], `'${label}' is not one of the labels`);
      }
    }
    if (entry.task === 'ocr' && (entry.files.detection === undefined) !== (entry.detection === undefined)) {
      say(['detection'], 'files.detection and its preprocessing go together');
    }
  });

/** A model as described in models.json, with all defaults. */
export type ModelEntry = z.output<typeof modelEntrySchema>;
export type ModelTaskName = ModelEntry['task'];
export type EntryOf<Task extends ModelTaskName> = Extract<ModelEntry, { task: Task }>;

export const manifestSchema = z.strictObject({ models: z.array(z.unknown()).max(100) });

/** The files of a model, each with its role. */
export function filesOf(entry: ModelEntry): readonly (readonly [role: string, file: ModelFile])[] {
  return Object.entries(entry.files).filter((pair): pair is [string, ModelFile] => pair[1] !== undefined);
}
