export { answerCount, answerFacets, answerList } from './answer.ts';
export { completeFormula } from './complete/complete.ts';
export { completionKinds } from './complete/completion.ts';
export type { Completion, Completions } from './complete/completion.ts';
export { correctWords } from './correct-words.ts';
export { countFacets, facetModes, facetsOf } from './facets.ts';
export { searchFacetValues } from './facet-values.ts';
export type { Facet, FacetMode, FacetValue } from './facets.ts';
export { countRecords } from './count.ts';
export {
  askForRebuild,
  engineLag,
  engineReasons,
  forgetChanges,
  isRebuilding,
  noteChanges,
  openSearchEngine,
  startFeeder,
} from './engine/index.ts';
export type { AnsweredBy, EngineLag, EngineReason, Feeder, Route, SearchEngine } from './engine/index.ts';
export { formulaLimits } from './formula/limits.ts';
export { didYouMean, suggest } from './formula/suggest.ts';
export { listRecords } from './list-records.ts';
export { sortsOf } from './sorts.ts';
export { searchRecords } from './search-records.ts';
export type { RecordPage } from './list-records.ts';
export type { SortOrder } from './sorts.ts';
export { clauseKinds, explainFormula, explanationMessages, tongues, warningCodes } from './explain/index.ts';
export type { Clause, Explanation, Suggestion, Tongue, Warning } from './explain/index.ts';
export { resolveFormula, resolveSimilarity } from './resolve-similarity.ts';
export type { SimilarityServices } from './resolve-similarity.ts';
export { unrestricted } from './similar/gather-references.ts';
export type { Caller } from './similar/gather-references.ts';
export type { Likeness } from './similar/likeness.ts';
export { alikeTiers, duplicateTiers } from './similar/tiers.ts';
export type { Thresholds } from './similar/tiers.ts';
export { keepQueryImage } from './similar/query-images.ts';
export type { QueryImage } from './similar/query-images.ts';
export { keepChangesHours, TenantIndexes } from './similar/tenant-indexes.ts';
export { findDuplicateSearch, groupTiers, listDuplicateGroups, listDuplicateMembers } from './duplicate-groups.ts';
export type { DuplicateGroup, DuplicateMember, DuplicateSearch, GroupTier } from './duplicate-groups.ts';
export { steps as groupSteps } from './similar/gallery.ts';
export type { Groups as FoundGroups } from './similar/groups.ts';
export { findEditedGroups } from './similar/edited-groups.ts';
export { findHashGroups } from './similar/hash-groups.ts';
export { readGallery } from './similar/read-gallery.ts';
export type { ReadGallery } from './similar/read-gallery.ts';
export { distancesOf } from './similar/stored-thresholds.ts';
export { findAmong, findSamePictures } from './same-picture.ts';
export type { NewPicture, SamePicture } from './same-picture.ts';
export { giveVerdict, listVerdicts, withdrawVerdict } from './pair-verdicts.ts';
export type { PairVerdict } from './pair-verdicts.ts';
export { verdicts } from './similar/verdicts.ts';
export type { Verdict } from './similar/verdicts.ts';
export { readQuestion, readQuestionOf } from './question.ts';
export type { Question } from './question.ts';
export { deleteSavedFormula, listSavedFormulas, saveFormula } from './saved-formulas.ts';
export type { SavedFormula } from './saved-formulas.ts';
export { withLikeness } from './with-likeness.ts';
export type { Found } from './with-likeness.ts';
