export { intoBatches } from './batches.ts';
export type { ImportBatch } from './batches.ts';
export { fieldsMeant, importedNames } from './columns.ts';
export { fromRecords } from './json.ts';
export { createLanguageDetector, languageNames } from './language.ts';
export { openerOf, tableEndings } from './open-table.ts';
export { languageOf, surveyImport } from './survey.ts';
export type { LanguageOf, Survey } from './survey.ts';
export type { TableColumn, ImportEntry, ImportSource } from './table.ts';
