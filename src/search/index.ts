export { answerCount, answerFacets, answerList } from './query/answer.ts';
export { completeFormula } from './complete/complete.ts';
export { completionKinds } from './complete/completion.ts';
export type { Completion, Completions } from './complete/completion.ts';
export { correctWords } from './query/correct-words.ts';
export { countFacets, facetModes, facetsOf } from './query/facets.ts';
export { countColors, countYears } from './query/histograms.ts';
export type { ColorCount, YearCount } from './query/histograms.ts';
export { searchFacetValues } from './query/facet-values.ts';
export type { Facet, FacetMode, FacetValue } from './query/facets.ts';
export { countRecords } from './query/count.ts';
export {
  askForRebuild,
  meilisearchLag,
  backendReasons,
  forgetChanges,
  formerReasonOf,
  isRebuilding,
  noteChanges,
  openMeilisearch,
  startIndexer,
} from './meilisearch/index.ts';
export type { MeilisearchLag, Indexer, SearchRoute, MeilisearchBackend } from './meilisearch/index.ts';
export { comparatorsOf } from './formula/check/check.ts';
export { flagOperators } from './formula/parse/flag-operators.ts';
export { formulaLimits } from './formula/limits.ts';
export { findIds } from './query/find-ids.ts';
export type { IdsAsked } from './query/find-ids.ts';
export { listRecords } from './query/list-records.ts';
export { sortsOf } from './query/sorts.ts';
export { searchRecords } from './query/search-records.ts';
export { cursorOfRow } from './query/list-records.ts';
export type { RecordPage } from './query/list-records.ts';
export { clauseKinds, explainFormula, explanationMessages, warningCodes } from './explain/index.ts';
export type { Explanation, Suggestion, FormulaWarning } from './explain/index.ts';
export { resolveFormula, resolveSimilarity } from './query/resolve-similarity.ts';
export type { SimilarityServices } from './query/resolve-similarity.ts';
export {
  findDuplicateSearch,
  groupTiers,
  listDuplicateGroups,
  listDuplicateMembers,
} from './query/duplicate-groups.ts';
export type { DuplicateGroup, DuplicateMember, DuplicateSearch, GroupTier } from './query/duplicate-groups.ts';
export { mayAskSimilarity, readSearchQuery } from './query/search-query.ts';
export type { SearchQuery } from './query/search-query.ts';
export { deleteSavedFormula, listSavedFormulas, renameSavedFormula, savedLimits } from './query/saved-formulas.ts';
export type { SavedFormula } from './query/saved-formulas.ts';
export { withMatchExplanation } from './query/match-explanations.ts';
export type { ExplainedRow } from './query/match-explanations.ts';
export { readDuplicateCandidates } from './query/duplicate-candidates.ts';
export {
  findWatched,
  followMatches,
  saveAndWatch,
  setWatching,
  standingLimits,
  startWatcher,
} from './standing/index.ts';
