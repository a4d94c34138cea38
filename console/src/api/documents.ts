import type { Document } from './graphql.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** State of the analysis of a picture: not done yet, done, failed at least in part, or done by another version. */
export type AiStatus = 'failed' | 'pending' | 'ready' | 'stale';

/** Language of an explanation. */
export type ExplanationLanguage = 'en' | 'es';

/** What a completion is. */
export type FormulaCompletionKind = 'field' | 'flag' | 'operator' | 'reference' | 'saved' | 'value' | 'word';

/** Facet fields of images. */
export type ImageFacet =
  | 'ai_generated'
  | 'author'
  | 'bw'
  | 'categories'
  | 'city'
  | 'collections'
  | 'country'
  | 'event'
  | 'keywords'
  | 'location'
  | 'medium'
  | 'model_release'
  | 'nsfw'
  | 'orientation'
  | 'property_release'
  | 'provider'
  | 'scene'
  | 'shot'
  | 'status'
  | 'technique';

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

/** Language of texts. */
export type Language = 'en' | 'es' | 'fr' | 'pt' | 'ru';

/** How a match was found. */
export type MatchMeasure =
  /** The same file. */
  | 'checksum'
  /** Near vectors of a model. */
  | 'embedding'
  /** Corners that agree. */
  | 'geometry'
  /** Near hashes. */
  | 'hash'
  /** The same pixels, for pictures with little detail. */
  | 'pixels'
  /** The verdict of a person. */
  | 'verdict'
  /** Words of a text, among the concepts and texts of the image: no text embedding model is configured, so the picture itself was not compared. The similarity is at most 0.5. */
  | 'words';

/** The tier of a match: the same picture, or similar. */
export type MatchTier =
  /** An edit: overlay, crop, border, flip, turn: `i=`. */
  | 'edited'
  /** The same pixels, encoded differently: `i===`. */
  | 'near'
  /** The same picture, re-encoded, resized or toned: `i==`. */
  | 'same'
  /** Nearly the same scene: `i~~~`. */
  | 'scene'
  /** Same subject and composition: `i~~`. */
  | 'subject'
  /** Same theme: `i~`. */
  | 'theme';

/** The records that a formula searches. */
export type SearchedResource = 'image' | 'video';

/** Direction of sorting. Missing values come last in both. */
export type SortOrder = 'asc' | 'desc';

/** Facet fields of videos. */
export type VideoFacet =
  | 'ai_generated'
  | 'author'
  | 'bw'
  | 'categories'
  | 'city'
  | 'collections'
  | 'country'
  | 'event'
  | 'keywords'
  | 'location'
  | 'medium'
  | 'model_release'
  | 'nsfw'
  | 'orientation'
  | 'property_release'
  | 'provider'
  | 'status';

/** What a list of videos can be sorted by. */
export type VideoSort =
  'date' | 'date_jdn' | 'duration_secs' | 'headline' | 'height' | 'id' | 'src' | 'title' | 'width';

export type CatalogFieldsQueryVariables = Exact<{
  resource: SearchedResource;
  language: ExplanationLanguage;
}>;

export type CatalogFieldsQuery = {
  readonly catalogFields: ReadonlyArray<{
    readonly name: string;
    readonly property: string | null;
    readonly kind: string;
    readonly label: string;
    readonly description: string;
    readonly isFacet: boolean;
    readonly isSortable: boolean;
  }>;
};

export type WhereFragment = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

export type ProvenanceFragment = {
  readonly field: string;
  readonly source: string;
  readonly analyzer: string;
  readonly confidence: number | null;
};

export type SeenFragment = {
  readonly caption: string | null;
  readonly analyzedAt: string;
  readonly isBw: boolean | null;
  readonly orientation: string | null;
  readonly colors: ReadonlyArray<{ readonly hex: string; readonly name: string; readonly percent: number }> | null;
  readonly concepts: ReadonlyArray<{ readonly label: string; readonly confidence: number }> | null;
  readonly faces: ReadonlyArray<{
    readonly confidence: number;
    readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }> | null;
  readonly objects: ReadonlyArray<{
    readonly label: string;
    readonly confidence: number;
    readonly isConfirmed: boolean;
    readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }> | null;
  readonly text: {
    readonly text: string;
    readonly blocks: ReadonlyArray<{
      readonly text: string;
      readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    }>;
  } | null;
  readonly embedded: ReadonlyArray<{ readonly field: string; readonly values: ReadonlyArray<string> }> | null;
  readonly warnings: ReadonlyArray<{ readonly message: string }>;
};

export type OneImageQueryVariables = Exact<{
  id: string | number;
  lang: Language;
}>;

export type OneImageQuery = {
  readonly image: {
    readonly aiStatus: AiStatus | null;
    readonly srcPath: string | null;
    readonly caption: string | null;
    readonly aiGenerated: boolean | null;
    readonly modelRelease: boolean | null;
    readonly propertyRelease: boolean | null;
    readonly nsfw: boolean | null;
    readonly status: string | null;
    readonly date: string | null;
    readonly location: string | null;
    readonly city: string | null;
    readonly country: string | null;
    readonly event: string | null;
    readonly author: string | null;
    readonly provider: string | null;
    readonly shot: string | null;
    readonly scene: string | null;
    readonly technique: string | null;
    readonly medium: string | null;
    readonly keywords: ReadonlyArray<string> | null;
    readonly categories: ReadonlyArray<string> | null;
    readonly collections: ReadonlyArray<string> | null;
    readonly nFaces: number | null;
    readonly duplicateOf: string | null;
    readonly src: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly id: string;
    readonly title: string | null;
    readonly headline: string | null;
    readonly altText: string | null;
    readonly width: number;
    readonly height: number;
    readonly similarity: number | null;
    readonly placeholder: string | null;
    readonly large: { readonly url: string; readonly width: number; readonly height: number } | null;
    readonly provenance: ReadonlyArray<{
      readonly field: string;
      readonly source: string;
      readonly analyzer: string;
      readonly confidence: number | null;
    }>;
    readonly ai: {
      readonly caption: string | null;
      readonly analyzedAt: string;
      readonly isBw: boolean | null;
      readonly orientation: string | null;
      readonly colors: ReadonlyArray<{ readonly hex: string; readonly name: string; readonly percent: number }> | null;
      readonly concepts: ReadonlyArray<{ readonly label: string; readonly confidence: number }> | null;
      readonly faces: ReadonlyArray<{
        readonly confidence: number;
        readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
      }> | null;
      readonly objects: ReadonlyArray<{
        readonly label: string;
        readonly confidence: number;
        readonly isConfirmed: boolean;
        readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
      }> | null;
      readonly text: {
        readonly text: string;
        readonly blocks: ReadonlyArray<{
          readonly text: string;
          readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
        }>;
      } | null;
      readonly embedded: ReadonlyArray<{ readonly field: string; readonly values: ReadonlyArray<string> }> | null;
      readonly warnings: ReadonlyArray<{ readonly message: string }>;
    } | null;
    readonly small: { readonly url: string } | null;
    readonly wide: { readonly url: string } | null;
    readonly match: {
      readonly tier: MatchTier;
      readonly operator: string;
      readonly by: MatchMeasure;
      readonly flip: boolean;
      readonly crop: boolean;
      readonly rotation: number;
      readonly verified: boolean;
      readonly overlap: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null;
      readonly overlapReference: {
        readonly x: number;
        readonly y: number;
        readonly w: number;
        readonly h: number;
      } | null;
    } | null;
  } | null;
};

export type OneVideoQueryVariables = Exact<{
  id: string | number;
  lang: Language;
}>;

export type OneVideoQuery = {
  readonly video: {
    readonly aiStatus: AiStatus | null;
    readonly srcPath: string | null;
    readonly description: string | null;
    readonly aiGenerated: boolean | null;
    readonly modelRelease: boolean | null;
    readonly propertyRelease: boolean | null;
    readonly nsfw: boolean | null;
    readonly status: string | null;
    readonly date: string | null;
    readonly location: string | null;
    readonly city: string | null;
    readonly country: string | null;
    readonly event: string | null;
    readonly author: string | null;
    readonly provider: string | null;
    readonly medium: string | null;
    readonly keywords: ReadonlyArray<string> | null;
    readonly categories: ReadonlyArray<string> | null;
    readonly collections: ReadonlyArray<string> | null;
    readonly nFaces: number | null;
    readonly container: string;
    readonly codecVideo: string | null;
    readonly codecAudio: string | null;
    readonly fps: number | null;
    readonly src: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly id: string;
    readonly title: string | null;
    readonly headline: string | null;
    readonly altText: string | null;
    readonly width: number;
    readonly height: number;
    readonly similarity: number | null;
    readonly durationSecs: number;
    readonly large: { readonly url: string; readonly width: number; readonly height: number } | null;
    readonly provenance: ReadonlyArray<{
      readonly field: string;
      readonly source: string;
      readonly analyzer: string;
      readonly confidence: number | null;
    }>;
    readonly ai: {
      readonly caption: string | null;
      readonly analyzedAt: string;
      readonly isBw: boolean | null;
      readonly text: string | null;
      readonly colors: ReadonlyArray<{ readonly hex: string; readonly name: string; readonly percent: number }> | null;
      readonly concepts: ReadonlyArray<{ readonly label: string; readonly confidence: number }> | null;
      readonly warnings: ReadonlyArray<{ readonly message: string }>;
      readonly frames: ReadonlyArray<{ readonly timeSecs: number }>;
    } | null;
    readonly small: { readonly url: string } | null;
    readonly wide: { readonly url: string } | null;
  } | null;
};

export type ImageTileFragment = {
  readonly id: string;
  readonly title: string | null;
  readonly headline: string | null;
  readonly altText: string | null;
  readonly width: number;
  readonly height: number;
  readonly similarity: number | null;
  readonly placeholder: string | null;
  readonly small: { readonly url: string } | null;
  readonly wide: { readonly url: string } | null;
  readonly match: {
    readonly tier: MatchTier;
    readonly operator: string;
    readonly by: MatchMeasure;
    readonly flip: boolean;
    readonly crop: boolean;
    readonly rotation: number;
    readonly verified: boolean;
    readonly overlap: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null;
    readonly overlapReference: {
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
    } | null;
  } | null;
};

export type ImageRowFragment = {
  readonly caption: string | null;
  readonly aiGenerated: boolean | null;
  readonly modelRelease: boolean | null;
  readonly propertyRelease: boolean | null;
  readonly nsfw: boolean | null;
  readonly status: string | null;
  readonly date: string | null;
  readonly location: string | null;
  readonly city: string | null;
  readonly country: string | null;
  readonly event: string | null;
  readonly author: string | null;
  readonly provider: string | null;
  readonly shot: string | null;
  readonly scene: string | null;
  readonly technique: string | null;
  readonly medium: string | null;
  readonly keywords: ReadonlyArray<string> | null;
  readonly categories: ReadonlyArray<string> | null;
  readonly collections: ReadonlyArray<string> | null;
  readonly nFaces: number | null;
  readonly duplicateOf: string | null;
  readonly src: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly id: string;
  readonly title: string | null;
  readonly headline: string | null;
  readonly altText: string | null;
  readonly width: number;
  readonly height: number;
  readonly similarity: number | null;
  readonly placeholder: string | null;
  readonly small: { readonly url: string } | null;
  readonly wide: { readonly url: string } | null;
  readonly match: {
    readonly tier: MatchTier;
    readonly operator: string;
    readonly by: MatchMeasure;
    readonly flip: boolean;
    readonly crop: boolean;
    readonly rotation: number;
    readonly verified: boolean;
    readonly overlap: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null;
    readonly overlapReference: {
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
    } | null;
  } | null;
};

export type ListImagesQueryVariables = Exact<{
  q?: string | null | undefined;
  cursor?: string | null | undefined;
  limit: number;
  sortBy?: ImageSort | null | undefined;
  sortOrder: SortOrder;
}>;

export type ListImagesQuery = {
  readonly images: {
    readonly cursor: string | null;
    readonly results: ReadonlyArray<{
      readonly caption: string | null;
      readonly aiGenerated: boolean | null;
      readonly modelRelease: boolean | null;
      readonly propertyRelease: boolean | null;
      readonly nsfw: boolean | null;
      readonly status: string | null;
      readonly date: string | null;
      readonly location: string | null;
      readonly city: string | null;
      readonly country: string | null;
      readonly event: string | null;
      readonly author: string | null;
      readonly provider: string | null;
      readonly shot: string | null;
      readonly scene: string | null;
      readonly technique: string | null;
      readonly medium: string | null;
      readonly keywords: ReadonlyArray<string> | null;
      readonly categories: ReadonlyArray<string> | null;
      readonly collections: ReadonlyArray<string> | null;
      readonly nFaces: number | null;
      readonly duplicateOf: string | null;
      readonly src: string | null;
      readonly createdAt: string;
      readonly updatedAt: string;
      readonly id: string;
      readonly title: string | null;
      readonly headline: string | null;
      readonly altText: string | null;
      readonly width: number;
      readonly height: number;
      readonly similarity: number | null;
      readonly placeholder: string | null;
      readonly small: { readonly url: string } | null;
      readonly wide: { readonly url: string } | null;
      readonly match: {
        readonly tier: MatchTier;
        readonly operator: string;
        readonly by: MatchMeasure;
        readonly flip: boolean;
        readonly crop: boolean;
        readonly rotation: number;
        readonly verified: boolean;
        readonly overlap: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null;
        readonly overlapReference: {
          readonly x: number;
          readonly y: number;
          readonly w: number;
          readonly h: number;
        } | null;
      } | null;
    }>;
  };
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
      readonly placeholder: string | null;
      readonly small: { readonly url: string } | null;
      readonly wide: { readonly url: string } | null;
      readonly match: {
        readonly tier: MatchTier;
        readonly operator: string;
        readonly by: MatchMeasure;
        readonly flip: boolean;
        readonly crop: boolean;
        readonly rotation: number;
        readonly verified: boolean;
        readonly overlap: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null;
        readonly overlapReference: {
          readonly x: number;
          readonly y: number;
          readonly w: number;
          readonly h: number;
        } | null;
      } | null;
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

export type ImageFacetsQueryVariables = Exact<{
  q?: string | null | undefined;
  fields: ReadonlyArray<ImageFacet> | ImageFacet;
}>;

export type ImageFacetsQuery = {
  readonly images: {
    readonly facets: ReadonlyArray<{
      readonly name: string;
      readonly values: ReadonlyArray<{ readonly value: string | boolean | null; readonly count: number }>;
    }>;
  };
};

export type VideoFacetsQueryVariables = Exact<{
  q?: string | null | undefined;
  fields: ReadonlyArray<VideoFacet> | VideoFacet;
}>;

export type VideoFacetsQuery = {
  readonly videos: {
    readonly facets: ReadonlyArray<{
      readonly name: string;
      readonly values: ReadonlyArray<{ readonly value: string | boolean | null; readonly count: number }>;
    }>;
  };
};

export type CountedFragment = {
  readonly name: string;
  readonly values: ReadonlyArray<{ readonly value: string | boolean | null; readonly count: number }>;
};

export type ImageHistogramsQueryVariables = Exact<{
  q?: string | null | undefined;
}>;

export type ImageHistogramsQuery = {
  readonly images: {
    readonly years: ReadonlyArray<{ readonly year: number | null; readonly count: number }>;
    readonly colors: ReadonlyArray<{ readonly name: string; readonly count: number }>;
  };
};

export type VideoHistogramsQueryVariables = Exact<{
  q?: string | null | undefined;
}>;

export type VideoHistogramsQuery = {
  readonly videos: {
    readonly years: ReadonlyArray<{ readonly year: number | null; readonly count: number }>;
    readonly colors: ReadonlyArray<{ readonly name: string; readonly count: number }>;
  };
};

export type ImageFacetValuesQueryVariables = Exact<{
  q?: string | null | undefined;
  field: ImageFacet;
  text: string;
}>;

export type ImageFacetValuesQuery = {
  readonly facetValues: ReadonlyArray<{ readonly value: string | boolean | null; readonly count: number }>;
};

export type VideoFacetValuesQueryVariables = Exact<{
  q?: string | null | undefined;
  field: VideoFacet;
  text: string;
}>;

export type VideoFacetValuesQuery = {
  readonly videoFacetValues: ReadonlyArray<{ readonly value: string | boolean | null; readonly count: number }>;
};

export type UploadQueryImageMutationVariables = Exact<{
  image: File;
}>;

export type UploadQueryImageMutation = {
  readonly uploadQueryImage: { readonly hash: string; readonly width: number; readonly height: number };
};

export type VideoTileFragment = {
  readonly id: string;
  readonly title: string | null;
  readonly headline: string | null;
  readonly altText: string | null;
  readonly width: number;
  readonly height: number;
  readonly similarity: number | null;
  readonly durationSecs: number;
  readonly small: { readonly url: string } | null;
  readonly wide: { readonly url: string } | null;
};

export type VideoRowFragment = {
  readonly description: string | null;
  readonly aiGenerated: boolean | null;
  readonly modelRelease: boolean | null;
  readonly propertyRelease: boolean | null;
  readonly nsfw: boolean | null;
  readonly status: string | null;
  readonly date: string | null;
  readonly location: string | null;
  readonly city: string | null;
  readonly country: string | null;
  readonly event: string | null;
  readonly author: string | null;
  readonly provider: string | null;
  readonly medium: string | null;
  readonly keywords: ReadonlyArray<string> | null;
  readonly categories: ReadonlyArray<string> | null;
  readonly collections: ReadonlyArray<string> | null;
  readonly nFaces: number | null;
  readonly container: string;
  readonly codecVideo: string | null;
  readonly codecAudio: string | null;
  readonly fps: number | null;
  readonly src: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly id: string;
  readonly title: string | null;
  readonly headline: string | null;
  readonly altText: string | null;
  readonly width: number;
  readonly height: number;
  readonly similarity: number | null;
  readonly durationSecs: number;
  readonly small: { readonly url: string } | null;
  readonly wide: { readonly url: string } | null;
};

export type ListVideosQueryVariables = Exact<{
  q?: string | null | undefined;
  cursor?: string | null | undefined;
  limit: number;
  sortBy?: VideoSort | null | undefined;
  sortOrder: SortOrder;
}>;

export type ListVideosQuery = {
  readonly videos: {
    readonly cursor: string | null;
    readonly results: ReadonlyArray<{
      readonly description: string | null;
      readonly aiGenerated: boolean | null;
      readonly modelRelease: boolean | null;
      readonly propertyRelease: boolean | null;
      readonly nsfw: boolean | null;
      readonly status: string | null;
      readonly date: string | null;
      readonly location: string | null;
      readonly city: string | null;
      readonly country: string | null;
      readonly event: string | null;
      readonly author: string | null;
      readonly provider: string | null;
      readonly medium: string | null;
      readonly keywords: ReadonlyArray<string> | null;
      readonly categories: ReadonlyArray<string> | null;
      readonly collections: ReadonlyArray<string> | null;
      readonly nFaces: number | null;
      readonly container: string;
      readonly codecVideo: string | null;
      readonly codecAudio: string | null;
      readonly fps: number | null;
      readonly src: string | null;
      readonly createdAt: string;
      readonly updatedAt: string;
      readonly id: string;
      readonly title: string | null;
      readonly headline: string | null;
      readonly altText: string | null;
      readonly width: number;
      readonly height: number;
      readonly similarity: number | null;
      readonly durationSecs: number;
      readonly small: { readonly url: string } | null;
      readonly wide: { readonly url: string } | null;
    }>;
  };
};

export type SearchVideosQueryVariables = Exact<{
  q?: string | null | undefined;
  cursor?: string | null | undefined;
  limit: number;
  sortBy?: VideoSort | null | undefined;
  sortOrder: SortOrder;
}>;

export type SearchVideosQuery = {
  readonly videos: {
    readonly cursor: string | null;
    readonly results: ReadonlyArray<{
      readonly id: string;
      readonly title: string | null;
      readonly headline: string | null;
      readonly altText: string | null;
      readonly width: number;
      readonly height: number;
      readonly similarity: number | null;
      readonly durationSecs: number;
      readonly small: { readonly url: string } | null;
      readonly wide: { readonly url: string } | null;
    }>;
  };
};

export type CountVideosQueryVariables = Exact<{
  q?: string | null | undefined;
}>;

export type CountVideosQuery = { readonly videos: { readonly count: number } };

export const CatalogFields: Document<CatalogFieldsQuery, CatalogFieldsQueryVariables> =
  'query CatalogFields($resource: SearchedResource!, $language: ExplanationLanguage!) {\n  catalogFields(resource: $resource, language: $language) {\n    name\n    property\n    kind\n    label\n    description\n    isFacet\n    isSortable\n  }\n}';

export const OneImage: Document<OneImageQuery, OneImageQueryVariables> =
  'query OneImage($id: ID!, $lang: Language!) {\n  image(id: $id) {\n    ...ImageRow\n    aiStatus\n    srcPath\n    large: preview(width: 2048) {\n      url\n      width\n      height\n    }\n    provenance {\n      ...Provenance\n    }\n    ai {\n      ...Seen\n    }\n  }\n}\nfragment ImageRow on Image {\n  ...ImageTile\n  caption\n  aiGenerated\n  modelRelease\n  propertyRelease\n  nsfw\n  status\n  date\n  location\n  city\n  country\n  event\n  author\n  provider\n  shot\n  scene\n  technique\n  medium\n  keywords\n  categories\n  collections\n  nFaces\n  duplicateOf\n  src\n  createdAt\n  updatedAt\n}\nfragment ImageTile on Image {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n  placeholder\n  small: preview(width: 320) {\n    url\n  }\n  wide: preview(width: 640) {\n    url\n  }\n  match {\n    tier\n    operator\n    by\n    flip\n    crop\n    rotation\n    verified\n    overlap {\n      ...Where\n    }\n    overlapReference {\n      ...Where\n    }\n  }\n}\nfragment Where on Box {\n  x\n  y\n  w\n  h\n}\nfragment Provenance on FieldProvenance {\n  field\n  source\n  analyzer\n  confidence\n}\nfragment Seen on ImageAnalysis {\n  caption(lang: $lang)\n  analyzedAt\n  isBw\n  orientation\n  colors {\n    hex\n    name\n    percent\n  }\n  concepts(lang: $lang) {\n    label\n    confidence\n  }\n  faces {\n    confidence\n    box {\n      ...Where\n    }\n  }\n  objects {\n    label\n    confidence\n    isConfirmed\n    box {\n      ...Where\n    }\n  }\n  text {\n    text\n    blocks {\n      text\n      box {\n        ...Where\n      }\n    }\n  }\n  embedded {\n    field\n    values\n  }\n  warnings {\n    message\n  }\n}';

export const OneVideo: Document<OneVideoQuery, OneVideoQueryVariables> =
  'query OneVideo($id: ID!, $lang: Language!) {\n  video(id: $id) {\n    ...VideoRow\n    aiStatus\n    srcPath\n    large: preview(width: 2048) {\n      url\n      width\n      height\n    }\n    provenance {\n      ...Provenance\n    }\n    ai {\n      caption(lang: $lang)\n      analyzedAt\n      isBw\n      colors {\n        hex\n        name\n        percent\n      }\n      concepts(lang: $lang) {\n        label\n        confidence\n      }\n      text\n      warnings {\n        message\n      }\n      frames {\n        timeSecs\n      }\n    }\n  }\n}\nfragment VideoRow on Video {\n  ...VideoTile\n  description\n  aiGenerated\n  modelRelease\n  propertyRelease\n  nsfw\n  status\n  date\n  location\n  city\n  country\n  event\n  author\n  provider\n  medium\n  keywords\n  categories\n  collections\n  nFaces\n  container\n  codecVideo\n  codecAudio\n  fps\n  src\n  createdAt\n  updatedAt\n}\nfragment VideoTile on Video {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n  durationSecs\n  small: preview(width: 320) {\n    url\n  }\n  wide: preview(width: 640) {\n    url\n  }\n}\nfragment Provenance on FieldProvenance {\n  field\n  source\n  analyzer\n  confidence\n}';

export const ListImages: Document<ListImagesQuery, ListImagesQueryVariables> =
  'query ListImages($q: String, $cursor: String, $limit: Int!, $sortBy: ImageSort, $sortOrder: SortOrder!) {\n  images(\n    q: $q\n    cursor: $cursor\n    limit: $limit\n    sortBy: $sortBy\n    sortOrder: $sortOrder\n  ) {\n    cursor\n    results {\n      ...ImageRow\n    }\n  }\n}\nfragment ImageRow on Image {\n  ...ImageTile\n  caption\n  aiGenerated\n  modelRelease\n  propertyRelease\n  nsfw\n  status\n  date\n  location\n  city\n  country\n  event\n  author\n  provider\n  shot\n  scene\n  technique\n  medium\n  keywords\n  categories\n  collections\n  nFaces\n  duplicateOf\n  src\n  createdAt\n  updatedAt\n}\nfragment ImageTile on Image {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n  placeholder\n  small: preview(width: 320) {\n    url\n  }\n  wide: preview(width: 640) {\n    url\n  }\n  match {\n    tier\n    operator\n    by\n    flip\n    crop\n    rotation\n    verified\n    overlap {\n      ...Where\n    }\n    overlapReference {\n      ...Where\n    }\n  }\n}\nfragment Where on Box {\n  x\n  y\n  w\n  h\n}';

export const SearchImages: Document<SearchImagesQuery, SearchImagesQueryVariables> =
  'query SearchImages($q: String, $cursor: String, $limit: Int!, $sortBy: ImageSort, $sortOrder: SortOrder!) {\n  images(\n    q: $q\n    cursor: $cursor\n    limit: $limit\n    sortBy: $sortBy\n    sortOrder: $sortOrder\n  ) {\n    cursor\n    results {\n      ...ImageTile\n    }\n  }\n}\nfragment ImageTile on Image {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n  placeholder\n  small: preview(width: 320) {\n    url\n  }\n  wide: preview(width: 640) {\n    url\n  }\n  match {\n    tier\n    operator\n    by\n    flip\n    crop\n    rotation\n    verified\n    overlap {\n      ...Where\n    }\n    overlapReference {\n      ...Where\n    }\n  }\n}\nfragment Where on Box {\n  x\n  y\n  w\n  h\n}';

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

export const ImageFacets: Document<ImageFacetsQuery, ImageFacetsQueryVariables> =
  'query ImageFacets($q: String, $fields: [ImageFacet!]!) {\n  images(q: $q, limit: 1) {\n    facets(fields: $fields, mode: disjunctive) {\n      ...Counted\n    }\n  }\n}\nfragment Counted on Facet {\n  name\n  values {\n    value\n    count\n  }\n}';

export const VideoFacets: Document<VideoFacetsQuery, VideoFacetsQueryVariables> =
  'query VideoFacets($q: String, $fields: [VideoFacet!]!) {\n  videos(q: $q, limit: 1) {\n    facets(fields: $fields, mode: disjunctive) {\n      ...Counted\n    }\n  }\n}\nfragment Counted on Facet {\n  name\n  values {\n    value\n    count\n  }\n}';

export const ImageHistograms: Document<ImageHistogramsQuery, ImageHistogramsQueryVariables> =
  'query ImageHistograms($q: String) {\n  images(q: $q, limit: 1) {\n    years(mode: disjunctive) {\n      year\n      count\n    }\n    colors(mode: disjunctive) {\n      name\n      count\n    }\n  }\n}';

export const VideoHistograms: Document<VideoHistogramsQuery, VideoHistogramsQueryVariables> =
  'query VideoHistograms($q: String) {\n  videos(q: $q, limit: 1) {\n    years(mode: disjunctive) {\n      year\n      count\n    }\n    colors(mode: disjunctive) {\n      name\n      count\n    }\n  }\n}';

export const ImageFacetValues: Document<ImageFacetValuesQuery, ImageFacetValuesQueryVariables> =
  'query ImageFacetValues($q: String, $field: ImageFacet!, $text: String!) {\n  facetValues(q: $q, field: $field, text: $text, limit: 20) {\n    value\n    count\n  }\n}';

export const VideoFacetValues: Document<VideoFacetValuesQuery, VideoFacetValuesQueryVariables> =
  'query VideoFacetValues($q: String, $field: VideoFacet!, $text: String!) {\n  videoFacetValues(q: $q, field: $field, text: $text, limit: 20) {\n    value\n    count\n  }\n}';

export const UploadQueryImage: Document<UploadQueryImageMutation, UploadQueryImageMutationVariables> =
  'mutation UploadQueryImage($image: Upload!) {\n  uploadQueryImage(image: $image) {\n    hash\n    width\n    height\n  }\n}';

export const ListVideos: Document<ListVideosQuery, ListVideosQueryVariables> =
  'query ListVideos($q: String, $cursor: String, $limit: Int!, $sortBy: VideoSort, $sortOrder: SortOrder!) {\n  videos(\n    q: $q\n    cursor: $cursor\n    limit: $limit\n    sortBy: $sortBy\n    sortOrder: $sortOrder\n  ) {\n    cursor\n    results {\n      ...VideoRow\n    }\n  }\n}\nfragment VideoRow on Video {\n  ...VideoTile\n  description\n  aiGenerated\n  modelRelease\n  propertyRelease\n  nsfw\n  status\n  date\n  location\n  city\n  country\n  event\n  author\n  provider\n  medium\n  keywords\n  categories\n  collections\n  nFaces\n  container\n  codecVideo\n  codecAudio\n  fps\n  src\n  createdAt\n  updatedAt\n}\nfragment VideoTile on Video {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n  durationSecs\n  small: preview(width: 320) {\n    url\n  }\n  wide: preview(width: 640) {\n    url\n  }\n}';

export const SearchVideos: Document<SearchVideosQuery, SearchVideosQueryVariables> =
  'query SearchVideos($q: String, $cursor: String, $limit: Int!, $sortBy: VideoSort, $sortOrder: SortOrder!) {\n  videos(\n    q: $q\n    cursor: $cursor\n    limit: $limit\n    sortBy: $sortBy\n    sortOrder: $sortOrder\n  ) {\n    cursor\n    results {\n      ...VideoTile\n    }\n  }\n}\nfragment VideoTile on Video {\n  id\n  title\n  headline\n  altText\n  width\n  height\n  similarity\n  durationSecs\n  small: preview(width: 320) {\n    url\n  }\n  wide: preview(width: 640) {\n    url\n  }\n}';

export const CountVideos: Document<CountVideosQuery, CountVideosQueryVariables> =
  'query CountVideos($q: String) {\n  videos(q: $q, limit: 1) {\n    count\n  }\n}';
