export { aiStatuses, findAnalysis, findAnalysisSubjects, forgetAnalyses, keepAnalyses } from './analysis.ts';
export type {
  AiStatus,
  AnalysisSubject,
  AnalysisWrite,
  Provenance,
  SeenColumns,
  StoredAnalysis,
  StoredOutcome,
} from './analysis.ts';
export { colors, findColor, nearestColor } from './colors.ts';
export { checkElement } from './check-element.ts';
export type { CheckedElement, FieldValue, Source, WriteAction, WriteElement } from './check-element.ts';
export { imageFields, writableImageFields } from './fields.ts';
export type { Field, FieldType } from './fields.ts';
export { findFormulaField, formulaFields } from './formula-fields.ts';
export type { FormulaField, FormulaKind, Resource } from './formula-fields.ts';
export { parsePartialDate } from './partial-date.ts';
export { fromRecord } from './from-record.ts';
export { findImage, selectList } from './read-images.ts';
export type { ImageRow } from './read-images.ts';
export { createSourceReader } from './source/index.ts';
export type { SourceReader } from './source/index.ts';
export { existingImages, writeImages } from './write-images.ts';
export type { ImageWrite, WriteOptions, Written } from './write-images.ts';
