import type { Proxies } from '../../../lib/proxies.ts';
import type { Concept, Facts, OcrResult } from '../../facts.ts';
import type {
  CapabilityResult,
  EmbeddingModel,
  EmbedText,
  Models,
  ModelPicture,
  Provider,
  ProviderOptions,
  SpendCall,
} from '../provider.ts';
import { conceptsOfChat, conceptsOfScores, directionOf, ocrOfText, nsfwOfScores } from './answers.ts';
import type { Labels } from './answers.ts';
import { askCaption, promptLanguages } from './caption.ts';
import { createModelCaller } from './caller.ts';
import type { CalledModel, ModelCaller } from './caller.ts';
import { askText, chat, jpegOf } from './chat.ts';
import { createTextEmbedder } from './embed-texts.ts';
import { callLimits } from './limits.ts';
import type { CallLimits } from './limits.ts';
import { chooseModel } from './models.ts';
import type { ModelChoice, RemoteCapability } from './models.ts';

export type HuggingFaceOptions = Readonly<{
  /** The capabilities it provides. */
  serves: readonly RemoteCapability[];
  /** By capability, `owner/name` or `task:owner/name`; the default model if none is named. */
  models: Readonly<Partial<Record<RemoteCapability, string>>>;
  token?: string | undefined;
  /** A custom inference endpoint, in which `{model}` and `{task}` are replaced by their names. */
  endpoint?: string | undefined;
  /** Dedicated endpoints of capabilities, which override `endpoint`. */
  endpoints?: Readonly<Partial<Record<RemoteCapability, string>>>;
  /** None if absent. */
  proxies?: Proxies;
  /** Without it calls have no budget. */
  spend?: SpendCall | undefined;
  /** The keywords that a zero-shot classifier chooses from. */
  candidates: readonly Labels[];
  limits?: CallLimits;
}>;

const noProxies: Proxies = { https: undefined, http: undefined, none: [] };

/** Models behind the inference API of Hugging Face, hosted there or at a custom endpoint. */
export function createHuggingFace(options: HuggingFaceOptions): Provider {
  const { serves, limits = callLimits, token, candidates, proxies = noProxies, endpoints = {} } = options;
  const caller = createModelCaller({ token, proxies, limits });
  const spend = options.spend ?? (async () => true);
  const chosen = new Map(
    serves.map((name): [RemoteCapability, ModelChoice] => {
      const endpoint = endpoints[name] ?? options.endpoint;
      return [name, { ...chooseModel(name, options.models[name]), endpoint }];
    }),
  );

  function model<C extends RemoteCapability>(capability: C, ask: Ask<CapabilityResult<C>>) {
    const choice = chosen.get(capability);
    if (choice === undefined) return {};
    const run = (picture: ModelPicture, asked: ProviderOptions) =>
      ask(caller, { ...choice, spend: () => spend(asked.owner, capability) }, picture, asked);
    return { [capability]: { name: `huggingface:${choice.id}`, version: choice.task, run } };
  }

  const embedding = textModelOf(chosen.get('embedding'), spend);
  /** The text embedder of a model; null if no model is given. */
  const embedder = (modelFor: ReturnType<typeof textModelOf>) =>
    modelFor === undefined ? null : createTextEmbedder({ caller, modelFor, most: limits.texts });
  const former = new Map<string, EmbedText | null>();

  /** A dedicated endpoint has one model, so it does not have a former one. */
  function embeddingModel(named: string): EmbeddingModel | null {
    const [, id] = /^huggingface:(\S+) image-feature-extraction$/.exec(named) ?? [];
    const endpoint = endpoints.embedding ?? options.endpoint;
    if (id === undefined || (endpoint !== undefined && !endpoint.includes('{model}'))) return null;
    const choice: ModelChoice = { id, task: 'image-feature-extraction', endpoint };
    if (!former.has(id)) former.set(id, embedder(textModelOf(choice, spend)));
    const run: EmbeddingModel['model']['run'] = (picture, asked) =>
      askEmbedding(caller, { ...choice, spend: () => spend(asked.owner, 'embedding') }, picture, asked);
    return { model: { run }, embedText: former.get(id) ?? null };
  }
  return {
    models: {
      ...model('caption', askCaption),
      ...model('keywords', (...args) => askKeywords(candidates, ...args)),
      ...model('ocr', askOcr),
      ...model('embedding', askEmbedding),
      ...model('nsfw', askNsfw),
    } as Models,
    embedText: embedder(embedding),
    embeddingModel,
    costs: caller.costs,
  };
}

type Ask<T> = (caller: ModelCaller, model: CalledModel, picture: ModelPicture, options: ProviderOptions) => Promise<T>;

function askKeywords(
  candidates: readonly Labels[],
  caller: ModelCaller,
  model: CalledModel,
  picture: ModelPicture,
  { signal }: ProviderOptions,
): Promise<readonly Concept[]> {
  if (model.task === 'image-text-to-text') {
    return chat(caller, model, picture, keywordsPrompt, signal).then(conceptsOfChat);
  }
  return caller.call(model, signal, async (client, target, options) => {
    const parameters = { candidate_labels: candidates.map(({ en }) => en) };
    const scores = await client.zeroShotImageClassification(
      { ...target, inputs: jpegOf(picture), parameters },
      { ...options },
    );
    return conceptsOfScores(scores, candidates);
  });
}

const askOcr: Ask<OcrResult> = async (caller, model, picture, { langs, signal }) => {
  const text =
    model.task === 'image-to-text'
      ? await askText(caller, model, picture, signal)
      : await chat(caller, model, picture, ocrPrompt, signal);
  return ocrOfText(text, langs[0] ?? 'en');
};

const askEmbedding: Ask<Facts['embedding']> = (caller, model, picture, { signal }) =>
  caller.call(model, signal, async (client, target, options) => {
    // The client supports this task for texts only; a picture is sent as its bytes, as for classifiers.
    const input = { ...target, data: jpegOf(picture) } as unknown as Parameters<typeof client.featureExtraction>[0];
    return directionOf(await client.featureExtraction(input, { ...options }));
  });

/** The embedding model, called for texts in the same vector space. */
function textModelOf(choice: ModelChoice | undefined, spend: SpendCall) {
  if (choice === undefined) return undefined;
  return (owner: number | undefined): CalledModel => ({
    ...choice,
    task: 'feature-extraction',
    spend: () => spend(owner, 'embedding'),
  });
}

const askNsfw: Ask<Facts['nsfw']> = (caller, model, picture, { signal }) =>
  caller.call(model, signal, async (client, target, options) =>
    nsfwOfScores(await client.imageClassification({ ...target, data: jpegOf(picture) }, { ...options })),
  );

const keywordsPrompt = `List up to 15 keywords for what can be seen in this photograph, the most important first.
Answer with a JSON array alone; each keyword is an object with its word in ${Object.entries(promptLanguages)
  .map(([lang, name]) => `"${lang}" (${name})`)
  .join(', ')}.`;

const ocrPrompt = `Copy the text in this picture, line by line from top to bottom, exactly as it is
written. Answer only with these lines; answer (none) if there is no text.`;
