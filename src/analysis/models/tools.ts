import { loadOnceEach } from '../../lib/load-once.ts';
import type { EntryOf, ModelEntry, ModelFile, ModelTaskName } from './manifest.ts';
import { commandForModels } from './find-package.ts';
import { ModelError } from './model-error.ts';
import { Networks } from './networks.ts';
import { inputDims, joinPixels, toPixels } from './pixels.ts';
import { Runtime } from '../onnx/runtime.ts';
import type { OnnxSession, OnnxTensor } from '../onnx/types.ts';
import { openTokenizer, tokensOf } from './texts.ts';
import type { Tokenizer } from '@huggingface/tokenizers';

type ToolsOptions = Readonly<{
  modelsDir: string;
  /** The path of ONNX Runtime; null if nothing can run models. */
  runtime: string | null;
  /** Memory in bytes for the files of all loaded networks. */
  memoryBytes: number;
  /** Threads per run. */
  threads: number;
}>;

/** What model tasks share: networks, tokenizers and vectors of labels. */
export class ModelTools {
  readonly runtime: Runtime;
  readonly networks: Networks;
  /** Vectors of the labels of a model, by its name. */
  readonly labelVectors = new Map<string, readonly Float32Array[]>();
  readonly #tokenizers: (path: string, file: ModelFile) => Promise<Tokenizer>;

  /** @throws ModelError if nothing can run models. */
  constructor({ modelsDir, runtime, memoryBytes, threads }: ToolsOptions) {
    if (runtime === null) throw notInstalled(modelsDir);
    this.runtime = new Runtime(runtime, threads);
    this.networks = new Networks({ runtime: this.runtime, modelsDir, memoryBytes });
    this.#tokenizers = loadOnceEach(async (_path: string, file: ModelFile) =>
      openTokenizer(await this.networks.check(file)),
    );
  }

  tokenizer(file: ModelFile): Promise<Tokenizer> {
    return this.#tokenizers(file.path, file);
  }
}

function notInstalled(modelsDir: string): ModelError {
  return new ModelError('not_available', `models of MODELS_DIR need a package: ${commandForModels(modelsDir)}`);
}

/** A model with what it needs to run. */
export type TaskOf<Task extends ModelTaskName> = Readonly<{ entry: EntryOf<Task>; tools: ModelTools }>;

type Outputs = Readonly<Record<string, OnnxTensor>>;

/** Runs a network once on all pictures. */
export async function runOnPictures(
  { entry, tools }: Readonly<{ entry: ModelEntry; tools: ModelTools }>,
  file: ModelFile,
  jpegs: readonly Uint8Array[],
): Promise<Readonly<{ session: OnnxSession; outputs: Outputs }>> {
  const { preprocessing } = entry;
  const { session } = await tools.networks.open(file, entry);
  const pixels = await Promise.all(jpegs.map((jpeg) => toPixels(jpeg, preprocessing)));
  const [first] = pixels;
  if (first === undefined) throw new Error('a model ran on no picture');
  const input = tools.runtime.floats(joinPixels(pixels), inputDims(preprocessing, first, jpegs.length));
  return { session, outputs: await session.run({ [session.inputNames[0] ?? '']: input }) };
}

/** Runs the text network of a model. @returns a vector of length 1. */
export async function embedWords(
  { entry, tools }: TaskOf<'embedding' | 'keywords'>,
  text: string,
): Promise<Float32Array> {
  const { text: file, tokenizer } = entry.files;
  if (file === undefined || tokenizer === undefined) throw new ModelError('failed', `${entry.name} reads no texts`);
  const { ids, mask } = tokensOf(await tools.tokenizer(tokenizer), text, entry.texts);
  const { session } = await tools.networks.open(file, entry);
  const values: Readonly<Record<string, readonly number[]>> = { input_ids: ids, attention_mask: mask };
  const feeds = session.inputNames.map((name) => {
    const row = values[name] ?? ids.map((_, index) => (name === 'position_ids' ? index : 0));
    return [name, tools.runtime.integers(row, [1, ids.length], session, name)] as const;
  });
  const [vector] = vectorsOf(session, await session.run(Object.fromEntries(feeds)), 1);
  return vector as Float32Array;
}

/** The outputs that hold the vectors of a picture or a text, in published exports of CLIP and SigLIP. */
const vectorOutputs = ['image_embeds', 'text_embeds', 'pooler_output', 'sentence_embedding'];

/** Returns a vector of length 1 for each input. @throws ModelError if the network returns none. */
export function vectorsOf(session: OnnxSession, outputs: Outputs, inputs: number): Float32Array[] {
  return rowsOfBatch(outputs[outputNamed(session, vectorOutputs)], inputs).map((values) => {
    const length = Math.hypot(...values);
    if (!Number.isFinite(length) || length === 0)
      throw new ModelError('failed', 'the model returned a vector of zeros');
    return values.map((value) => value / length);
  });
}

/** The first of these names that is an output; otherwise the first output. */
function outputNamed({ outputNames }: OnnxSession, names: readonly string[]): string {
  return names.find((name) => outputNames.includes(name)) ?? outputNames[0] ?? '';
}

/** The values of each input of a batch. @throws ModelError if the output is not [inputs, values]. */
export function rowsOfBatch(output: OnnxTensor | undefined, inputs: number): Float32Array[] {
  const [rows, width] = output?.dims ?? [];
  if (output === undefined || output.dims.length !== 2 || rows !== inputs || width === undefined) {
    throw new ModelError('failed', `the model returned [${output?.dims.join(', ') ?? ''}] instead of [${inputs}, n]`);
  }
  const values = Float32Array.from(output.data);
  return Array.from({ length: inputs }, (_, row) => values.slice(row * width, (row + 1) * width));
}
