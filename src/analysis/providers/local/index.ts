import { resolve } from 'node:path';
import { loadOnce } from '../../../lib/load-once.ts';
import type { Caption, Facts } from '../../facts.ts';
import { ProviderError, toDirection } from '../provider.ts';
import type { Capability, Models, ModelPicture, Provider } from '../provider.ts';
import { loadTransformers, precisionOf } from './find-transformers.ts';

/** Capabilities that Transformers.js can provide. */
export const localServes = ['caption', 'embedding'] as const satisfies readonly Capability[];

const usual: Readonly<Record<(typeof localServes)[number], string>> = {
  caption: 'Xenova/vit-gpt2-image-captioning',
  embedding: 'Xenova/clip-vit-base-patch32',
};

/** Number of tokens of a text if a SigLIP model's configuration does not state it. */
const siglipLength = 64;

type LocalOptions = Readonly<{
  serves: readonly Capability[];
  /** By capability, the folder of a model below `modelsDir`. */
  models: Readonly<Partial<Record<Capability, string>>>;
  /** Folder of models in the layout of Hugging Face; nothing is ever downloaded. */
  modelsDir: string;
  /** Loads the package; if absent, it is searched for where it may have been installed. */
  load?: () => Promise<unknown>;
}>;

/** The part of the package that we use. */
type Transformers = Readonly<{
  env: Record<string, unknown>;
  pipeline: (task: string, model: string, options: object) => Promise<(input: unknown) => Promise<unknown>>;
  RawImage: { fromBlob: (blob: Blob) => Promise<unknown> };
  AutoTokenizer: FromPretrained;
  AutoProcessor: FromPretrained;
  CLIPTextModelWithProjection: FromPretrained;
  CLIPVisionModelWithProjection: FromPretrained;
  SiglipTextModel: FromPretrained;
  SiglipVisionModel: FromPretrained;
  AutoConfig: { from_pretrained: (model: string, options: object) => Promise<Config> };
}>;
type Config = Readonly<{ model_type?: string; text_config?: { max_position_embeddings?: number } }>;
type Run = (...input: unknown[]) => Promise<Readonly<Record<string, { data: ArrayLike<number> } | undefined>>>;
type FromPretrained = { from_pretrained: (model: string, options: object) => Promise<Run> };

/** Models that run in this process with Transformers.js, loaded at their first use. */
export function createLocal({
  serves,
  models,
  modelsDir,
  load = () => loadTransformers(modelsDir),
}: LocalOptions): Provider {
  const library = loadOnce(async () => {
    const { env, ...rest } = (await load()) as Transformers;
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: resolve(modelsDir) });
    return { env, ...rest };
  });
  const idOf = (capability: (typeof localServes)[number]) => models[capability] ?? usual[capability];
  const dtypeOf = (id: string, files: readonly string[]) => ({ dtype: precisionOf(modelsDir, id, files) });
  const captioner = loadOnce(async () => {
    const id = idOf('caption');
    return (await library()).pipeline('image-to-text', id, dtypeOf(id, ['encoder_model', 'decoder_model_merged']));
  });
  const embedder = loadOnce(async () => {
    const id = idOf('embedding');
    return openEmbedder(await library(), id, dtypeOf(id, ['vision_model', 'text_model']));
  });

  const caption = async ({ jpeg }: ModelPicture): Promise<Caption> => {
    const image = await (await library()).RawImage.fromBlob(new Blob([new Uint8Array(jpeg)]));
    const [first] = (await (await captioner())(image)) as { generated_text?: string }[];
    if (!first?.generated_text) throw new ProviderError('failed', 'the model returned no caption');
    return { en: first.generated_text.trim() };
  };
  const embedding = async ({ jpeg }: ModelPicture): Promise<Facts['embedding']> => {
    const image = await (await library()).RawImage.fromBlob(new Blob([new Uint8Array(jpeg)]));
    return (await embedder()).ofPicture(image);
  };
  const entry = (capability: (typeof localServes)[number], run: (picture: ModelPicture) => Promise<unknown>) =>
    serves.includes(capability)
      ? { [capability]: { name: `local:${idOf(capability)}`, version: '1', run: guarded(run) } }
      : {};
  return {
    models: { ...entry('caption', caption), ...entry('embedding', embedding) } as Models,
    embedText: serves.includes('embedding') ? guarded(async (text: string) => (await embedder()).ofText(text)) : null,
    costs: () => ({}),
  };
}

/** Opens the two parts of a model that embeds pictures and texts in one space. */
async function openEmbedder(library: Transformers, id: string, options: object) {
  const { AutoConfig, AutoTokenizer, AutoProcessor } = library;
  const config = await AutoConfig.from_pretrained(id, {});
  const isSiglip = config.model_type?.startsWith('siglip') ?? false;
  const VisionModel = isSiglip ? library.SiglipVisionModel : library.CLIPVisionModelWithProjection;
  const Text = isSiglip ? library.SiglipTextModel : library.CLIPTextModelWithProjection;
  const [tokenize, process, embedPicture, read] = await Promise.all([
    AutoTokenizer.from_pretrained(id, {}),
    AutoProcessor.from_pretrained(id, {}),
    VisionModel.from_pretrained(id, options),
    Text.from_pretrained(id, options),
  ]);
  const direction = (output: Awaited<ReturnType<Run>>) => {
    const { data } = output['image_embeds'] ?? output['text_embeds'] ?? output['pooler_output'] ?? { data: [] };
    return toDirection(Array.from(data));
  };
  // SigLIP accepts texts of one length only, and the tokenizer of SigLIP 2 does not say which.
  const length = isSiglip
    ? { padding: 'max_length', max_length: config.text_config?.max_position_embeddings ?? siglipLength }
    : { padding: true };
  return {
    ofPicture: async (image: unknown) => direction(await embedPicture(await process(image))),
    ofText: async (text: string) => direction(await read(await tokenize([text], { ...length, truncation: true }))),
  };
}

function guarded<Input, T>(run: (input: Input) => Promise<T>): (input: Input) => Promise<T> {
  return (input) =>
    run(input).catch((error: unknown) => {
      if (error instanceof ProviderError) throw error;
      const reason = String((error as Error).message).split('\n')[0] ?? '';
      throw new ProviderError('failed', `the local model failed: ${reason.replace(/(?:\/[\w.@-]+){2,}/g, '…')}`);
    });
}
