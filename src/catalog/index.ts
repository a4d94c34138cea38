export {
  collectionLimits,
  createCollection,
  deleteCollection,
  findCollection,
  listCollections,
  placeInCollection,
  removeFromCollection,
  renameCollection,
} from './collections.ts';
export type { Collection, CollectionChange } from './collections.ts';
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
export { carriedVersion } from './carried/shape.ts';
export type { CarriedAnalysis } from './carried/shape.ts';
export { findCarriedAnalyses } from './carried/read.ts';
export { keepCarriedAnalyses } from './carried/write.ts';
export { admittedModelIds, embeddingModelIds, knownModelIds, modelInUse } from './embedding-models.ts';
export type { ModelIds } from './embedding-models.ts';
export { colorFamilies, colorInSpanish, colorShades, familyOfShade, findColor } from './colors.ts';
export { checkElement } from './check-element.ts';
export { findRecordVersion, meetsVersion, preconditionFailed, readIfMatch, readIfNoneMatch } from './version.ts';
export type { IfMatch } from './version.ts';
export { checkAddressable, reservedIds } from './reserved-ids.ts';
export type { CheckedElement, FieldValue, Source, WriteAction, WriteElement } from './check-element.ts';
export { locales } from './field.ts';
export type { Locale } from './field.ts';
export { describeField } from './field-descriptions.ts';
export {
  carriedFieldsOf,
  changeNameOf,
  fieldsOf,
  limitsOf,
  lockableFieldsOf,
  longTextOf,
  resources,
  writableFieldsOf,
} from './fields.ts';
export { changeList, isListChange, lockLists } from './list-change.ts';
export type { ListChange, Lists } from './list-change.ts';
export { lockRecords, takeOver } from './take-over.ts';
export type { OwnValues } from './take-over.ts';
export type { Field, FieldType, Resource } from './fields.ts';
export { naturalOrder } from './natural-order.ts';
export { totalOf } from './total.ts';
export { bareFieldsOf, findFormulaField, formulaFields, formulaFieldsOf, formulaKindOf } from './formula-fields.ts';
export type { FormulaField, FormulaKind } from './formula-fields.ts';
export { findPoster } from './find-poster.ts';
export { parsePartialDate } from './partial-date.ts';
export { fromAnalyzedRecord } from './analyzed-element.ts';
export { flagDuplicates, keepFingerprints } from './fingerprints.ts';
export type { Flag, Fingerprint } from './fingerprints.ts';
export { findRecord, findRecords, selectList } from './read-records.ts';
export type { RecordRow, Reviewed } from './read-records.ts';
export { canBeId } from './record-id.ts';
export { idOfFile, resourceOfFile } from './media-files.ts';
export { createAddressGuard } from './source/address-guard.ts';
export type { AddressGuard } from './source/address-guard.ts';
export { createSourceOpener, createSourceReader, createSourceStreamer } from './source/index.ts';
export type { AskedPart, SourceOpener, SourceReader, SourceStream, SourceStreamer } from './source/index.ts';
export type { SourceFacts, StoredFiles } from './stored-facts.ts';
export { existingRecords, writeRecords } from './write-records.ts';
export type { RecordWrite, Writing, Written } from './write-records.ts';
export { searchFunction } from './search-sql.ts';
export { facetFunction, facetRecountFunction } from './facet-sql.ts';
export { mergeFacetChanges, totalsOfFacet, totalsOfValues } from './facet-totals.ts';
export { commonWords, hasWordStep, takeWordStep } from './words/common-words.ts';
export type { CommonWords } from './words/common-words.ts';
export { wordFunction } from './words/word-sql.ts';
export { mergeWordChanges, totalOfWord } from './words/word-totals.ts';
export { historyFunction, stateFunction } from './history/functions.ts';
export {
  applyReversals,
  changeActions,
  changedRows,
  changeKinds,
  checkMoment,
  findAt,
  findBefore,
  findRecordAt,
  keepDryChanges,
  listOperationChanges,
  listRecordChanges,
  onConflicts,
  planReversals,
  purgeRecords,
  readDryChanges,
} from './history/index.ts';
export type {
  Conflict,
  ElementChange,
  FieldChange,
  KeptValue,
  OnConflict,
  RecordChange,
  Reversal,
} from './history/index.ts';
