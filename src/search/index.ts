export { correctWords } from './correct-words.ts';
export { countFacets, facetModes, facetsOf } from './facets.ts';
export type { Facet, FacetMode, FacetValue } from './facets.ts';
export { countRecords, listRecords, sortsOf } from './list-records.ts';
export type { RecordPage, SortOrder } from './list-records.ts';
export { readQuestion } from './question.ts';
export type { Question } from './question.ts';
