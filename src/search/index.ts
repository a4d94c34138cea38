export { correctWords } from './correct-words.ts';
export { countFacets, facetModes, imageFacets } from './facets.ts';
export type { Facet, FacetMode, FacetValue } from './facets.ts';
export { countImages, imageSorts, listImages } from './list-images.ts';
export type { ImagePage, SortOrder } from './list-images.ts';
export { readQuestion } from './question.ts';
export type { Question } from './question.ts';
