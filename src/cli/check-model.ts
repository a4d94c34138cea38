import process from 'node:process';
import { ElementError } from '../lib/errors.ts';
import type { AnalyzerName, ImageAnalyzer, Outcomes } from '../analysis/index.ts';

/** What a model did with some pictures. */
export type ModelCheck = Readonly<{
  task: AnalyzerName;
  model: string;
  pictures: number;
  analyzed: number;
  /** Of the first picture, which waits until the model is loaded; null if it failed. */
  firstMs: number | null;
  /** Median of the others; null if none was analyzed. */
  medianMs: number | null;
  /** By how much the processes in which models run have grown. */
  memoryMiB: number;
  /** What it says of the first picture that it analyzed, shortened; null if it analyzed none. */
  says: string | null;
  /** Each reason once. */
  failures: readonly string[];
}>;

/** Runs a model on pictures, one after the other. */
export async function checkModel(
  imageAnalyzer: ImageAnalyzer,
  task: ModelCheck['task'],
  files: readonly string[],
): Promise<ModelCheck> {
  const memory = () => process.memoryUsage.rss() + imageAnalyzer.modelMemory();
  const before = memory();
  let says: string | null = null;
  const times: (number | null)[] = [];
  const failures = new Set<string>();
  for (const path of files) {
    const result = await timeOf(imageAnalyzer, task, path);
    times.push(typeof result === 'string' ? null : result.milliseconds);
    if (typeof result !== 'string') says ??= excerptOf(result.result);
    if (typeof result === 'string') failures.add(result);
  }
  const [first = null, ...others] = times;
  const sorted = others.filter((time) => time !== null).toSorted((a, b) => a - b);
  return {
    task,
    model: imageAnalyzer.origins[task]?.analyzer ?? '',
    pictures: files.length,
    analyzed: times.filter((time) => time !== null).length,
    firstMs: first,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? null,
    memoryMiB: Math.max(0, Math.round((memory() - before) / 2 ** 20)),
    says,
    failures: [...failures],
  };
}

const longestExcerpt = 60;

/** A result as JSON, as far as it fits into a line; of vectors only their length. */
function excerptOf(result: unknown): string {
  if (result instanceof Int8Array) return `${result.length} dimensions`;
  const text = JSON.stringify(result);
  return text.length <= longestExcerpt ? text : `${text.slice(0, longestExcerpt - 1)}…`;
}

type Timed = Readonly<{ milliseconds: number; result: unknown }>;

/** What came, or why there is no result. */
async function timeOf(imageAnalyzer: ImageAnalyzer, task: ModelCheck['task'], path: string): Promise<Timed | string> {
  try {
    const { outcomes } = await imageAnalyzer.analyze({ path, want: [task], isUrgent: true });
    const outcome = outcomes[task] as Outcomes[AnalyzerName];
    if (outcome === undefined) return 'a picture could not be decoded';
    const { error, milliseconds, result } = outcome;
    return error?.message ?? { milliseconds, result };
  } catch (error) {
    if (error instanceof ElementError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
