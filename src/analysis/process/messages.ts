import type { ElementErrorCode } from '../../lib/errors.ts';
import type { Analysis, AnalysisScope } from '../analysis.ts';
import type { Conversion, Converted } from '../convert.ts';
import type { Decoded } from '../decode.ts';
import type { AnalyzerErrorCode, AnalyzerName, Facts } from '../facts.ts';

/** The jobs of an analysis process, and the result of each. */
type Jobs = {
  /** `decoded` if another process did that; then `bytes` is present for analyzers that read them, or null. */
  analyze: { job: { bytes: Buffer | null; decoded: Decoded | null; scope: AnalysisScope }; result: Analysis };
  decode: { job: { bytes: Buffer; longSide: number }; result: Decoded };
  convert: { job: { bytes: Buffer; conversion: Conversion }; result: Converted };
  /** A model of MODELS_DIR, which runs in a process for models: on a picture, or on a text that it embeds. */
  model: { job: ModelJob; result: ModelAnswer };
};

/** `version` is that of the model which is meant: models.json may have changed since. */
export type ModelJob = Readonly<{ model: string; version: string; input: ModelInput }>;
export type ModelInput = Readonly<{ jpeg: Buffer; lang: string }> | Readonly<{ text: string }>;

/** What a model found, or why it gave nothing. */
export type ModelAnswer = Readonly<{ device: string }> &
  (
    | Readonly<{ result: Facts[AnalyzerName]; error?: never }>
    | Readonly<{ result?: never; error: Readonly<{ code: AnalyzerErrorCode; message: string }> }>
  );
type JobName = keyof Jobs;

/** One job, by its name. */
export type Job = { [Name in JobName]: Readonly<{ name: Name } & Jobs[Name]['job']> }[JobName];

/** The jobs of a process that decodes and analyzes. */
export type PictureJob = Exclude<Job, { name: 'model' }>;

export type JobResult<J extends Job> = Jobs[J['name']]['result'];
export type JobOutcome = JobResult<Job>;

/** Settings of every such process: its one argument, as JSON. */
export type ProcessSettings = Readonly<{
  /** Threads that analyze. */
  threads: number;
  niceness: number;
}>;

/** Settings of a process that decodes and analyzes. */
export type PictureProcessSettings = ProcessSettings &
  Readonly<{
    /** Processor time for decoding one picture. */
    decodeSeconds: number;
    tessdataDir: string | null;
    /** The program of ONNX Runtime; null runs networks by WebAssembly. */
    onnxRuntime: string | null;
  }>;

/** Messages to the process, some at a time. */
export type AnalysisOrder<J extends Job = Job> =
  | Readonly<{ type: 'work'; id: number; job: J }>
  | Readonly<{ type: 'abort'; id: number }>
  /** Requests are being answered, or no longer: if so, half of the threads are left to them. */
  | Readonly<{ type: 'give way'; isOn: boolean }>;

/** Messages from the process, some at a time: first that it is ready, then one for each job that was not aborted. */
export type AnalysisReport =
  | Readonly<{ type: 'ready' }>
  | Readonly<{ type: 'result'; id: number; result: JobOutcome }>
  /** `code` is null if it is not the picture's fault. */
  | Readonly<{ type: 'fault'; id: number; code: ElementErrorCode | null; message: string }>
  /** It ends now, because the decoder of this picture does not: the others must be sent to another process. */
  | Readonly<{ type: 'stuck'; id: number; message: string }>;
