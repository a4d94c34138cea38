import type { ElementErrorCode } from '../../errors.ts';
import type { Analysis, AnalysisScope } from '../analysis.ts';
import type { Conversion, Converted } from '../convert.ts';
import type { Decoded } from '../decode.ts';

/** What a process that looks at pictures can do, and what comes of each. */
type Jobs = {
  /** `decoded` where another process did that; then `bytes` are there for analyzers that read them, or null. */
  analyze: { job: { bytes: Buffer | null; decoded: Decoded | null; scope: AnalysisScope }; result: Analysis };
  decode: { job: { bytes: Buffer; longSide: number }; result: Decoded };
  convert: { job: { bytes: Buffer; conversion: Conversion }; result: Converted };
};
type JobName = keyof Jobs;

/** One job, by its name. */
export type Job = { [Name in JobName]: Readonly<{ name: Name } & Jobs[Name]['job']> }[JobName];

export type ResultOf<J extends Job> = Jobs[J['name']]['result'];
export type Result = ResultOf<Job>;

/** How such a process is started: its one argument, as JSON. */
export type ProcessSettings = Readonly<{
  /** Threads that analyze. */
  threads: number;
  niceness: number;
  /** Processor time that decoding one picture may take. */
  decodeSeconds: number;
  tessdataDir: string | null;
}>;

/** What it is told, some at a time. */
export type Order =
  | Readonly<{ type: 'work'; id: number; job: Job }>
  | Readonly<{ type: 'abort'; id: number }>
  /** Requests are answered now, or no more: then half of the threads are left to them. */
  | Readonly<{ type: 'give way'; isOn: boolean }>;

/** What it says, some at a time: first that it is ready, then one word about each job that was not aborted. */
export type Report =
  | Readonly<{ type: 'ready' }>
  | Readonly<{ type: 'result'; id: number; result: Result }>
  /** `code` is null where it is not the picture's fault. */
  | Readonly<{ type: 'fault'; id: number; code: ElementErrorCode | null; message: string }>
  /** It ends now, for the decoder of this picture does not: the others are to be asked of another process. */
  | Readonly<{ type: 'stuck'; id: number; message: string }>;
