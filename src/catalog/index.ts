export { aiStatuses, findAnalysis, findAnalysisSubjects, forgetAnalyses, keepAnalyses } from './analysis.ts';
export type {
  AiStatus,
  AnalysisSubject,
  AnalysisWrite,
  Provenance,
  AnalysisColumns,
  StoredAnalysis,
  StoredOutcome,
} from './analysis.ts';
export { findVideoAnalysis, findVideoSubjects, forgetVideoAnalyses, keepVideoAnalyses } from './video-analysis.ts';
export type {
  FrameWrite,
  StoredFrame,
  StoredVideoAnalysis,
  VideoAnalysisWrite,
  VideoSubject,
} from './video-analysis.ts';
export { embeddingModelIds } from './embedding-models.ts';
export type { ModelIds } from './embedding-models.ts';
export { colorFamilies, colorInSpanish, colorShades, familyOfShade, findColor } from './colors.ts';
export { checkElement } from './check-element.ts';
export { findRecordVersion, preconditionFailed, readIfMatch } from './version.ts';
export { checkAddressable, reservedIds } from './reserved-ids.ts';
export type { CheckedElement, FieldValue, Source, WriteAction, WriteElement } from './check-element.ts';
export { locales } from './field.ts';
export type { Locale } from './field.ts';
export { fieldsOf, resources, writableFieldsOf } from './fields.ts';
export type { Field, FieldType, Resource } from './fields.ts';
export { totalOf } from './total.ts';
export { bareFieldsOf, findFormulaField, formulaFields, formulaFieldsOf } from './formula-fields.ts';
export type { FormulaField, FormulaKind } from './formula-fields.ts';
export { findPoster } from './find-poster.ts';
export { parsePartialDate } from './partial-date.ts';
export { fromRecord } from './from-record.ts';
export { flagDuplicates, keepFingerprints } from './fingerprints.ts';
export type { Flag, Fingerprint } from './fingerprints.ts';
export { findRecord, selectList } from './read-records.ts';
export type { RecordRow } from './read-records.ts';
export { createSourceOpener, createSourceReader } from './source/index.ts';
export type { SourceOpener, SourceReader } from './source/index.ts';
export type { SourceFacts } from './stored-facts.ts';
export { existingRecords, writeRecords } from './write-records.ts';
export type { RecordWrite, Writing } from './write-records.ts';
export { searchFunction } from './search-sql.ts';
