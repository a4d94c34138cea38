import type { AnalyzerErrorCode } from '../facts.ts';

/** Why a model of MODELS_DIR returned no result. */
export class ModelError extends Error {
  readonly code: AnalyzerErrorCode;

  constructor(code: AnalyzerErrorCode, message: string) {
    super(message);
    this.name = 'ModelError';
    this.code = code;
  }
}
