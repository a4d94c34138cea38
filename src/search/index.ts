export { answerCount, answerFacets, answerList } from './query/answer.ts';
export { completeFormula } from './complete/complete.ts';
export { completionKinds } from './complete/completion.ts';
export type { Completion, Completions } from './complete/completion.ts';
export { correctWords } from './query/correct-words.ts';
export { countFacets, facetModes, facetsOf } from './query/facets.ts';
export { searchFacetValues } from './query/facet-values.ts';
export type { Facet, FacetMode, FacetValue } from './query/facets.ts';
export { countRecords } from './query/count.ts';
export {
  askForRebuild,
  meilisearchLag,
  backendReasons,
  forgetChanges,
  isRebuilding,
  noteChanges,
  openMeilisearch,
  startIndexer,
} from './meilisearch/index.ts';
export type { MeilisearchLag, Indexer, Route, MeilisearchBackend } from './meilisearch/index.ts';
export { formulaLimits } from './formula/limits.ts';
export { didYouMean, suggest } from './formula/suggest.ts';
export { listRecords } from './query/list-records.ts';
export { sortsOf } from './query/sorts.ts';
export { searchRecords } from './query/search-records.ts';
export type { RecordPage } from './query/list-records.ts';
export { clauseKinds, explainFormula, explanationMessages, locales, warningCodes } from './explain/index.ts';
export type { Explanation, Suggestion, Locale, Warning } from './explain/index.ts';
export { resolveFormula, resolveSimilarity } from './query/resolve-similarity.ts';
export type { SimilarityServices } from './query/resolve-similarity.ts';
export { unrestricted } from '../similarity/references/load-references.ts';
export type { Caller } from '../similarity/references/load-references.ts';
export type { MatchExplanation } from '../similarity/compare/match-explanation.ts';
export { alikeTiers, duplicateTiers } from '../similarity/compare/tiers.ts';
export type { Thresholds } from '../similarity/compare/tiers.ts';
export { keepQueryImage } from '../similarity/references/query-images.ts';
export type { QueryImage } from '../similarity/references/query-images.ts';
export { keepChangesHours, TenantIndexes } from '../similarity/index/tenant-indexes.ts';
export {
  findDuplicateSearch,
  groupTiers,
  listDuplicateGroups,
  listDuplicateMembers,
} from './query/duplicate-groups.ts';
export type { DuplicateGroup, DuplicateMember, DuplicateSearch, GroupTier } from './query/duplicate-groups.ts';
export { steps as groupSteps } from '../similarity/groups/candidates.ts';
export type { Groups as FoundGroups } from '../similarity/groups/groups.ts';
export { findEditedGroups } from '../similarity/groups/edited-groups.ts';
export { findHashGroups } from '../similarity/groups/hash-groups.ts';
export { readCandidates } from '../similarity/groups/read-candidates.ts';
export type { ReadCandidates } from '../similarity/groups/read-candidates.ts';
export { distancesOf } from '../similarity/calibration/stored-thresholds.ts';
export { findAmong, findSamePictures } from '../similarity/same-picture.ts';
export type { NewPicture, SamePicture } from '../similarity/same-picture.ts';
export { giveVerdict, listVerdicts, withdrawVerdict } from '../similarity/groups/pair-verdicts.ts';
export type { PairVerdict } from '../similarity/groups/pair-verdicts.ts';
export { verdicts } from '../similarity/groups/verdicts.ts';
export type { Verdict } from '../similarity/groups/verdicts.ts';
export { readSearchQuery } from './query/search-query.ts';
export type { SearchQuery } from './query/search-query.ts';
export { deleteSavedFormula, listSavedFormulas, saveFormula } from './query/saved-formulas.ts';
export type { SavedFormula } from './query/saved-formulas.ts';
export { withMatchExplanation } from './query/match-explanations.ts';
export type { Found } from './query/match-explanations.ts';
