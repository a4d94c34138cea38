import type { EmbedText } from '../provider.ts';
import { ProviderError } from '../provider.ts';
import { directionOf, directionsOf } from './answers.ts';
import type { CalledModel, ModelCaller } from './caller.ts';

/** Statuses for several texts from an endpoint that takes one per request: a refusal, or a fault in its own code. */
const refusals: readonly unknown[] = [400, 413, 415, 422, 500];

/** A caller that waits for the vector of a text. */
type Waiting = Readonly<{
  text: string;
  signal: AbortSignal;
  resolve: (vector: Int8Array) => void;
  reject: (reason: unknown) => void;
}>;

type TextEmbedderOptions = Readonly<{
  caller: ModelCaller;
  /** The model; its calls count against the owner's budget. */
  modelFor: (owner: number | undefined) => CalledModel;
  /** Maximum number of texts per request. */
  most: number;
}>;

/**
 * Embeds texts. Texts that one owner requests together share a request, which counts once against the budget. An
 * endpoint that takes only one text at a time gets them one by one, and from then on without trying several first.
 */
export function createTextEmbedder({ caller, modelFor, most }: TextEmbedderOptions): EmbedText {
  const waiting = new Map<number | undefined, Waiting[]>();
  let takesSeveral = true;

  function flush(owner: number | undefined): void {
    const all = waiting.get(owner) ?? [];
    waiting.delete(owner);
    const size = takesSeveral ? most : 1;
    for (let k = 0; k < all.length; k += size) void answer(owner, all.slice(k, k + size));
  }

  async function answer(owner: number | undefined, those: readonly Waiting[]): Promise<void> {
    const texts = [...new Set(those.map(({ text }) => text))];
    try {
      const vectors = await whileAnyWaits(those, (signal) => askAll(owner, texts, signal));
      for (const { text, resolve, reject } of those) {
        const vector = vectors[texts.indexOf(text)];
        if (vector instanceof Int8Array) resolve(vector);
        else reject(vector);
      }
    } catch (error) {
      for (const { reject } of those) reject(error);
    }
  }

  /** Returns for each text its vector, or the error. */
  async function askAll(owner: number | undefined, texts: readonly string[], signal: AbortSignal): Promise<unknown[]> {
    const model = modelFor(owner);
    if (texts.length > 1) {
      const vectors = await askTogether(caller, model, texts, signal);
      if (vectors !== null) return vectors;
    }
    const single = await Promise.allSettled(texts.map((text) => askAlone(caller, model, text, signal)));
    if (texts.length > 1 && single.every(({ status }) => status === 'fulfilled')) takesSeveral = false;
    return single.map((each) => (each.status === 'fulfilled' ? each.value : each.reason));
  }

  return (text, signal, owner) =>
    new Promise<Int8Array>((resolve, reject) => {
      const others = waiting.get(owner);
      const own = { text, signal, resolve, reject };
      if (others !== undefined) return void others.push(own);
      waiting.set(owner, [own]);
      // Runs once all texts requested in one go have arrived, such as those of a formula.
      setImmediate(flush, owner);
    });
}

/** Null if the endpoint refuses several texts. */
async function askTogether(
  caller: ModelCaller,
  model: CalledModel,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Int8Array[] | null> {
  try {
    return await caller.call(model, signal, async (client, target, options) =>
      directionsOf(await client.featureExtraction({ ...target, inputs: [...texts] }, { ...options }), texts.length),
    );
  } catch (error) {
    if (error instanceof ProviderError && (error.cause === 'count' || refusals.includes(error.cause))) return null;
    throw error;
  }
}

function askAlone(caller: ModelCaller, model: CalledModel, text: string, signal: AbortSignal): Promise<Int8Array> {
  return caller.call(model, signal, async (client, target, options) =>
    directionOf(await client.featureExtraction({ ...target, inputs: text }, { ...options })),
  );
}

/** Keeps working until the last waiting caller has left; a caller that leaves is rejected at once. */
async function whileAnyWaits<T>(those: readonly Waiting[], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  let left = 0;
  const leaves = those.map(({ signal, reject }) => {
    const leave = () => {
      reject(signal.reason);
      left += 1;
      if (left === those.length) leaving.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return () => signal.removeEventListener('abort', leave);
  });
  try {
    return await work(leaving.signal);
  } finally {
    for (const stop of leaves) stop();
  }
}
