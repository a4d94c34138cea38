import type { Document } from './graphql.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Language of an explanation. */
export type ExplanationLanguage = 'en' | 'es';

/** What a completion is. */
export type FormulaCompletionKind = 'field' | 'flag' | 'operator' | 'reference' | 'saved' | 'value' | 'word';

/** What a list of images can be sorted by. `similarity`, or `sim` for short, needs a formula with a similarity term. */
export type ImageSort =
  | 'aspect_ratio'
  | 'author'
  | 'caption'
  | 'city'
  | 'country'
  | 'date'
  | 'event'
  | 'headline'
  | 'height'
  | 'image_id'
  | 'location'
  | 'medium'
  | 'n_faces'
  | 'provider'
  | 'scene'
  | 'shot'
  | 'sim'
  | 'similarity'
  | 'src'
  | 'technique'
  | 'title'
  | 'url_img_thumbnail'
  | 'url_img_watermark'
  | 'width';

/** The records that a formula searches. */
export type SearchedResource = 'image' | 'video';

/** Direction of sorting. Missing values come last in both. */
export type SortOrder = 'asc' | 'desc';

export type ImageTileFragment = {
  readonly id: string;
  readonly title: string | null;
  readonly headline: string | null;
  readonly altText: string | null;
  readonly width: number;
  readonly height: number;
  readonly similarity: number | null;
};

export type SearchImagesQueryVariables = Exact<{
  q?: string | null | undefined;
  cursor?: string | null | undefined;
  limit: number;
  sortBy?: ImageSort | null | undefined;
  sortOrder: SortOrder;
}>;

export type SearchImagesQuery = {
  readonly images: {
    readonly cursor: string | null;
    readonly results: ReadonlyArray<{
      readonly id: string;
      readonly title: string | null;
      readonly headline: string | null;
      readonly altText: string | null;
      readonly width: number;
      readonly height: number;
      readonly similarity: number | null;
    }>;
  };
};

export type CountImagesQueryVariables = Exact<{
  q?: string | null | undefined;
}>;

export type CountImagesQuery = { readonly images: { readonly count: number } };

export type CompleteQueryVariables = Exact<{
  text: string;
  position: number;
  resource: SearchedResource;
}>;

export type CompleteQuery = {
  readonly formulaCompletions: {
    readonly position: number;
    readonly length: number;
    readonly results: ReadonlyArray<{
      readonly text: string;
      readonly kind: FormulaCompletionKind;
      readonly description: string;
      readonly count: number | null;
    }>;
  };
};

export type ExplainQueryVariables = Exact<{
  q: string;
  resource: SearchedResource;
  language: ExplanationLanguage;
}>;

export type ExplainQuery = {
  readonly explainFormula: {
    readonly sentence: string;
    readonly count: number | null;
    readonly clauses: ReadonlyArray<{ readonly id: number; readonly text: string }>;
    readonly emptied: { readonly clause: number; readonly countWithout: number } | null;
    readonly suggestions: ReadonlyArray<{ readonly formula: string; readonly count: number }>;
    readonly warnings: ReadonlyArray<{ readonly message: string; readonly position: number; readonly length: number }>;
    readonly corrections: ReadonlyArray<{ readonly word: string; readonly meanings: ReadonlyArray<string> }>;
  };
};

export type SavedFormulasQueryVariables = Exact<{ [key: string]: never }>;

export type SavedFormulasQuery = {
  readonly savedFormulas: { readonly results: ReadonlyArray<{ readonly name: string; readonly formula: string }> };
};

export type SaveFormulaMutationVariables = Exact<{
  name: string;
  formula: string;
}>;

export type SaveFormulaMutation = { readonly saveFormula: { readonly name: string } };

export const SearchImages: Document<SearchImagesQuery, SearchImagesQueryVariables> =
  'query SearchImages($q: String, $cursor: String, $limit: Int!, $sortBy: ImageSort, $sortOrder: SortOrder!) {\n  images(\n    q: $q\n    cursor: $cursor\n    limit: $limit\n    sortBy: $sortBy\n    sortOrder: $sortOrder\n  ) {\n    cursor\n    results {\n      ...ImageTile\n    }\n  }\n}\nfragment ImageTile on Image {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n}';

export const CountImages: Document<CountImagesQuery, CountImagesQueryVariables> =
  'query CountImages($q: String) {\n  images(q: $q, limit: 1) {\n    count\n  }\n}';

export const Complete: Document<CompleteQuery, CompleteQueryVariables> =
  'query Complete($text: String!, $position: Int!, $resource: SearchedResource!) {\n  formulaCompletions(\n    text: $text\n    position: $position\n    resource: $resource\n    limit: 30\n  ) {\n    position\n    length\n    results {\n      text\n      kind\n      description\n      count\n    }\n  }\n}';

export const Explain: Document<ExplainQuery, ExplainQueryVariables> =
  'query Explain($q: String!, $resource: SearchedResource!, $language: ExplanationLanguage!) {\n  explainFormula(q: $q, resource: $resource, language: $language) {\n    sentence\n    count\n    clauses {\n      id\n      text\n    }\n    emptied {\n      clause\n      countWithout\n    }\n    suggestions {\n      formula\n      count\n    }\n    warnings {\n      message\n      position\n      length\n    }\n    corrections {\n      word\n      meanings\n    }\n  }\n}';

export const SavedFormulas: Document<SavedFormulasQuery, SavedFormulasQueryVariables> =
  'query SavedFormulas {\n  savedFormulas(limit: 100) {\n    results {\n      name\n      formula\n    }\n  }\n}';

export const SaveFormula: Document<SaveFormulaMutation, SaveFormulaMutationVariables> =
  'mutation SaveFormula($name: String!, $formula: String!) {\n  saveFormula(name: $name, formula: $formula, replace: true) {\n    name\n  }\n}';
