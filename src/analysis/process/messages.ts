import type { ElementErrorCode } from '../../lib/errors.ts';
import type { Analysis, AnalysisScope } from '../analysis.ts';
import type { Conversion, Converted } from '../convert.ts';
import type { Decoded } from '../decode.ts';
import type { AnalyzerErrorCode, AnalyzerName, Facts } from '../facts.ts';

/** The jobs of an analysis process, and the result of each. */
type Jobs = {
  /** `decoded` is set if another process decoded the picture; then `bytes` is null unless analyzers read the file. */
  analyze: { job: { bytes: Buffer | null; decoded: Decoded | null; scope: AnalysisScope }; result: Analysis };
  decode: { job: { bytes: Buffer; longSide: number }; result: Decoded };
  convert: { job: { bytes: Buffer; conversion: Conversion }; result: Converted };
  /** Runs a model of MODELS_DIR, in the process for models: on a picture, or on a text to embed. */
  model: { job: ModelJob; result: ModelAnswer };
};

/** `version` is the expected version of the model: models.json may have changed since. */
export type ModelJob = Readonly<{ model: string; version: string; input: ModelInput }>;
export type ModelInput = Readonly<{ jpeg: Buffer; lang: string }> | Readonly<{ text: string }>;

/** The result of a model, or why there is none. */
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

/** Settings of every such process, passed as JSON in its only argument. */
export type ProcessSettings = Readonly<{
  /** Number of threads that analyze. */
  threads: number;
  niceness: number;
}>;

/** Settings of a process that decodes and analyzes. */
export type PictureProcessSettings = ProcessSettings &
  Readonly<{
    /** Processor time for decoding one picture. */
    decodeSeconds: number;
    tessdataDir: string | null;
    /** The path of ONNX Runtime; if null, WebAssembly runs networks. */
    onnxRuntime: string | null;
  }>;

/** Messages to the process, sent in batches. */
export type AnalysisOrder<J extends Job = Job> =
  | Readonly<{ type: 'work'; id: number; job: J }>
  | Readonly<{ type: 'abort'; id: number }>
  /** Requests are being answered (`isOn`), or no longer: while they are, half of the threads are left to them. */
  | Readonly<{ type: 'give way'; isOn: boolean }>;

/** Messages from the process, sent in batches: first `ready`, then one for each job that was not aborted. */
export type AnalysisReport =
  | Readonly<{ type: 'ready' }>
  | Readonly<{ type: 'result'; id: number; result: JobOutcome }>
  /** `code` is null if the picture is not at fault. */
  | Readonly<{ type: 'fault'; id: number; code: ElementErrorCode | null; message: string }>
  /**
   * The process is ending because the decoder of this picture hangs: its other jobs must be sent to another process.
   */
  | Readonly<{ type: 'stuck'; id: number; message: string }>;
