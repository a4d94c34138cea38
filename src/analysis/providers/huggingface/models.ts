import { ProviderError } from '../provider.ts';
import type { Capability } from '../provider.ts';

/** The task of a model, as Hugging Face names it. */
type ModelTask =
  | 'image-to-text'
  | 'image-text-to-text'
  | 'zero-shot-image-classification'
  | 'image-classification'
  | 'image-feature-extraction';

/** What models of Hugging Face can provide: none of its tasks finds faces. */
export const remoteCapabilities = ['caption', 'keywords', 'ocr', 'embedding', 'nsfw'] as const satisfies Capability[];
export type RemoteCapability = (typeof remoteCapabilities)[number];

/** The tasks that can provide a capability; the first one applies if the configuration names none. */
const tasksOf: Readonly<Record<RemoteCapability, readonly ModelTask[]>> = {
  caption: ['image-text-to-text', 'image-to-text'],
  keywords: ['zero-shot-image-classification', 'image-text-to-text'],
  ocr: ['image-text-to-text', 'image-to-text'],
  embedding: ['image-feature-extraction'],
  nsfw: ['image-classification'],
};

const defaults: Readonly<Record<RemoteCapability, string>> = {
  caption: 'Qwen/Qwen2.5-VL-7B-Instruct',
  keywords: 'openai/clip-vit-large-patch14',
  ocr: 'Qwen/Qwen2.5-VL-7B-Instruct',
  embedding: 'openai/clip-vit-base-patch32',
  nsfw: 'Falconsai/nsfw_image_detection',
};

export type ModelChoice = Readonly<{ task: ModelTask; id: string; endpoint: string | undefined }>;

/**
 * Parses a configured model: `owner/name`, or `task:owner/name` if the model's task is not the default one.
 *
 * @throws ProviderError for a task that does not provide the capability.
 */
export function chooseModel(
  capability: RemoteCapability,
  configured: string | undefined,
): Omit<ModelChoice, 'endpoint'> {
  const tasks = tasksOf[capability];
  const [usual] = tasks as readonly [ModelTask];
  const text = configured ?? defaults[capability];
  const [, named, id = text] = /^([a-z-]+):(.+)$/.exec(text) ?? [];
  if (named === undefined) return { task: usual, id };
  const task = tasks.find((each) => each === named);
  if (task !== undefined) return { task, id };
  throw new ProviderError('not_available', `${named} cannot give ${capability}; ${tasks.join(' and ')} can`);
}

/** The URL of a model at a custom endpoint: `{model}` and `{task}` are replaced by their names. */
export function addressOf(endpoint: string, { task, id }: Readonly<{ task: string; id: string }>): string {
  return endpoint.replaceAll('{model}', id).replaceAll('{task}', task);
}
