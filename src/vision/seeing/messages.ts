import type { ElementErrorCode } from '../../errors.ts';
import type { Analysis, Question } from '../analysis.ts';

/** What the process that analyses is told, some at a time. */
export type Order =
  | Readonly<{ type: 'analyse'; id: number; bytes: Buffer; question: Question }>
  | Readonly<{ type: 'abort'; id: number }>;

/** What it says, some at a time: first that it is ready, then one word about each picture that was not aborted. */
export type Report =
  | Readonly<{ type: 'ready' }>
  | Readonly<{ type: 'analysis'; id: number; analysis: Analysis }>
  /** `code` is null where it is not the picture's fault. */
  | Readonly<{ type: 'fault'; id: number; code: ElementErrorCode | null; message: string }>;
