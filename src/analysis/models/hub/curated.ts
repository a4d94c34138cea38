import type { ModelTaskName } from '../manifest.ts';

/** A model of the Hugging Face hub that `vitrine models add` fetches. */
export type CuratedModel = Readonly<{
  name: string;
  task: ModelTaskName;
  /** What it is good for, in a few words. */
  about: string;
  license: string;
  /** Where the license and its limits are stated. */
  card: string;
  repository: string;
  /** Approximate size in MB; the hub reports the exact size before anything is downloaded. */
  megabytes: number;
  /** Paths in the repository, by the role of each file. */
  files: Readonly<Record<string, string>>;
  /** The rest of its entry in models.json. */
  entry: Readonly<Record<string, unknown>>;
}>;

const half = [0.5, 0.5, 0.5];
const clip = {
  license: 'MIT',
  card: 'https://huggingface.co/openai/clip-vit-base-patch32',
  repository: 'Xenova/clip-vit-base-patch32',
  megabytes: 156,
  files: {
    image: 'onnx/vision_model_quantized.onnx',
    text: 'onnx/text_model_quantized.onnx',
    tokenizer: 'tokenizer.json',
  },
  preprocessing: {
    size: 224,
    resize: 'crop',
    mean: [0.48145466, 0.4578275, 0.40821073],
    std: [0.26862954, 0.26130258, 0.27577711],
  },
};
const siglip = {
  license: 'Apache-2.0',
  card: 'https://huggingface.co/google/siglip-base-patch16-224',
  repository: 'Xenova/siglip-base-patch16-224',
  megabytes: 213,
  files: clip.files,
  preprocessing: { size: 224, mean: half, std: half },
  texts: { tokens: 64, pad: 1 },
};

/** Exports with 8-bit weights: a quarter of the size, and fast on a CPU. */
export const curatedModels: readonly CuratedModel[] = [
  {
    name: 'clip-base',
    task: 'embedding',
    about: 'search by words and by picture',
    ...originOf(clip),
    entry: { preprocessing: clip.preprocessing },
  },
  {
    name: 'siglip-base',
    task: 'embedding',
    about: 'search by words and by picture, better and slower',
    ...originOf(siglip),
    entry: { preprocessing: siglip.preprocessing, texts: siglip.texts },
  },
  {
    name: 'clip-keywords',
    task: 'keywords',
    about: 'keywords from your own list, with the files of clip-base',
    ...originOf(clip),
    entry: { preprocessing: clip.preprocessing },
  },
  {
    name: 'siglip-keywords',
    task: 'keywords',
    about: 'keywords from your own list, with the files of siglip-base',
    ...originOf(siglip),
    // The scale and bias that it was trained with.
    entry: {
      preprocessing: siglip.preprocessing,
      texts: siglip.texts,
      factor: 117.33,
      bias: -12.93,
      activation: 'sigmoid',
    },
  },
  {
    name: 'vit-gpt2',
    task: 'caption',
    about: 'captions in English',
    license: 'Apache-2.0',
    card: 'https://huggingface.co/nlpconnect/vit-gpt2-image-captioning',
    repository: 'Xenova/vit-gpt2-image-captioning',
    megabytes: 246,
    files: {
      encoder: 'onnx/encoder_model_quantized.onnx',
      decoder: 'onnx/decoder_model_quantized.onnx',
      tokenizer: 'tokenizer.json',
    },
    entry: {
      preprocessing: { size: 224, mean: half, std: half, interpolation: 'bilinear' },
      tokens: { start: 50_256, end: 50_256 },
    },
  },
  {
    name: 'vit-nsfw',
    task: 'nsfw',
    about: 'photographs and drawings that are not safe for work',
    license: 'Apache-2.0',
    card: 'https://huggingface.co/AdamCodd/vit-base-nsfw-detector',
    repository: 'AdamCodd/vit-base-nsfw-detector',
    megabytes: 89,
    files: { image: 'onnx/model_quantized.onnx' },
    entry: {
      preprocessing: { size: 384, mean: half, std: half, interpolation: 'bilinear' },
      labels: ['sfw', 'nsfw'],
      unsafe: ['nsfw'],
    },
  },
];

function originOf({ license, card, repository, megabytes, files }: typeof clip | typeof siglip) {
  return { license, card, repository, megabytes, files };
}

/** The path of a curated model's file in MODELS_DIR: files of one repository are in one folder. */
export function placeOf({ repository }: CuratedModel, path: string): string {
  return `${repository}/${path}`;
}

/** The entry of a model for models.json. @param digests the SHA-256 of each file, by its role. */
export function entryOf(model: CuratedModel, digests: Readonly<Record<string, string>>): Record<string, unknown> {
  const { name, task, license, card, files, entry } = model;
  const described = Object.entries(files).map(([role, path]) => [
    role,
    { path: placeOf(model, path), sha256: digests[role] },
  ]);
  return { name, task, license, source: card, files: Object.fromEntries(described), ...entry };
}
