import process from 'node:process';
import { workerData } from 'node:worker_threads';
import { analyzers } from '../analyzers.ts';
import { openNetworks } from '../networks/onnx-runtime.ts';
import type { SentView } from '../view.ts';
import type { AnalyzerName, Facts, Warning } from '../facts.ts';

/** The task of a thread, and its answer. Pixels and bytes are shared, not copied. */
export type AnalyzerTask = Readonly<{ name: keyof typeof analyzers; view: SentView }>;
export type TaskAnswer = Readonly<{ result: Facts[AnalyzerName]; milliseconds: number; warnings: readonly Warning[] }>;

/** Start data of a thread: the path of ONNX Runtime, or null if it must not be used. */
export type ThreadSettings = Readonly<{ onnxRuntime: string | null }>;

const run = openNetworks((workerData as ThreadSettings).onnxRuntime);

/** Exit code of a thread whose analyzer left its WebAssembly in an unusable state. */
const brokenExitCode = 70;

/** Runs one analyzer; the entry point of the pool's threads. */
export default async function runTask({ name, view }: AnalyzerTask): Promise<TaskAnswer> {
  const started = performance.now();
  const warnings: Warning[] = [];
  try {
    const result = await analyzers[name].run({ ...view, run, warn: (warning) => warnings.push(warning) });
    return { result, milliseconds: performance.now() - started, warnings };
  } catch (error) {
    if (isBeyondRepair(error)) process.exit(brokenExitCode);
    throw error;
  }
}

/** After a trap or an abort, the memory of a WASM module is in an unknown state; the next picture gets a new thread. */
function isBeyondRepair(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || /^Aborted\(|memory|out of bounds/i.test(String(error));
}
