import type { Caption } from '../../facts.ts';
import { ModelError } from '../model-error.ts';
import type { OnnxSession, OnnxTensor } from '../../onnx/types.ts';
import { runOnPictures } from '../tools.ts';
import type { TaskOf } from '../tools.ts';

/**
 * Writes captions with an encoder and a decoder without cache, taking the likeliest token each time; one picture per run.
 */
export async function writeCaptions(task: TaskOf<'caption'>, jpegs: readonly Uint8Array[]): Promise<Caption[]> {
  const captions: Caption[] = [];
  for (const jpeg of jpegs) captions.push({ [task.entry.lang]: await write(task, jpeg) });
  return captions;
}

async function write(task: TaskOf<'caption'>, jpeg: Uint8Array): Promise<string> {
  const { entry, tools } = task;
  const { session: encoder, outputs } = await runOnPictures(task, entry.files.encoder, [jpeg]);
  const seen = outputs[encoder.outputNames[0] ?? ''];
  if (seen?.dims.length !== 3) throw new ModelError('failed', 'the encoder did not return [1, length, width]');
  const { session: decoder } = await tools.networks.open(entry.files.decoder, entry);
  const ids = [entry.tokens.start];
  while (ids.length <= entry.maxTokens) {
    const next = await nextToken(task, decoder, ids, seen);
    if (next === entry.tokens.end) break;
    ids.push(next);
  }
  const tokenizer = await tools.tokenizer(entry.files.tokenizer);
  const text = tokenizer.decode(ids.slice(1), { skip_special_tokens: true }).trim();
  if (text === '') throw new ModelError('failed', 'the model returned an empty caption');
  return text;
}

async function nextToken(
  { tools }: TaskOf<'caption'>,
  decoder: OnnxSession,
  ids: readonly number[],
  seen: OnnxTensor,
): Promise<number> {
  const { runtime } = tools;
  const feeds = decoder.inputNames.map((name) => {
    if (name === 'encoder_hidden_states') return [name, seen] as const;
    if (name === 'encoder_attention_mask') {
      const length = seen.dims[1] ?? 0;
      return [name, runtime.integers(Array<number>(length).fill(1), [1, length], decoder, name)] as const;
    }
    if (name !== 'input_ids' && name !== 'attention_mask') {
      throw new ModelError('failed', `the decoder takes '${name}': name a decoder without cache (decoder_model.onnx)`);
    }
    const row = name === 'input_ids' ? ids : ids.map(() => 1);
    return [name, runtime.integers(row, [1, ids.length], decoder, name)] as const;
  });
  const outputs = await decoder.run(Object.fromEntries(feeds));
  const logits = outputs['logits'] ?? outputs[decoder.outputNames[0] ?? ''];
  const [, length, words = 0] = logits?.dims ?? [];
  if (logits?.dims.length !== 3 || length !== ids.length)
    throw new ModelError('failed', 'the decoder returned no logits');
  return largestAt(logits.data, (ids.length - 1) * words, words);
}

/** The position of the largest of `count` values after `start`. */
export function largestAt(values: ArrayLike<number>, start: number, count: number): number {
  let best = 0;
  for (let index = 1; index < count; index += 1) {
    if ((values[start + index] ?? 0) > (values[start + best] ?? 0)) best = index;
  }
  return best;
}
