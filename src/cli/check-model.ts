import process from 'node:process';
import { ElementError } from '../lib/errors.ts';
import type { AnalyzerName, ImageAnalyzer, Outcomes } from '../analysis/index.ts';

/** The results of running a model on some pictures. */
export type ModelCheck = Readonly<{
  task: AnalyzerName;
  model: string;
  pictures: number;
  analyzed: number;
  /** Time for the first picture, including loading the model; null if it failed. */
  firstMs: number | null;
  /** Median time of the other pictures; null if none was analyzed. */
  medianMs: number | null;
  /** Memory growth of the processes that run models. */
  memoryMiB: number;
  /** Result for the first picture that was analyzed, shortened; null if none was. */
  says: string | null;
  /** Distinct reasons. */
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

/** A result as JSON, truncated to fit into a line; for vectors only their length. */
function excerptOf(result: unknown): string {
  if (result instanceof Int8Array) return `${result.length} dimensions`;
  const text = JSON.stringify(result);
  return text.length <= longestExcerpt ? text : `${text.slice(0, longestExcerpt - 1)}…`;
}

type Timed = Readonly<{ milliseconds: number; result: unknown }>;

/** The result and its time, or the reason why there is none. */
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
