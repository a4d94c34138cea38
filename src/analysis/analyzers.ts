import type { AnalyzerName, Facts, Outcomes } from './facts.ts';
import type { Raster } from './raster.ts';
import { captionOfRichest, longest, mergeColors, mergeConcepts, mergeOcr } from './video/merge-results.ts';
import type { View } from './view.ts';

/** The longer side of the two rasters, in pixels. */
export const rasterSides = { small: 512, large: 1600 } as const;

/** A value of a result, as GraphQL exposes it in `ai`. Results with several values have their own types there. */
type ShownValue<Result = unknown> = Readonly<{
  name: string;
  type: 'Boolean' | 'Float' | 'String';
  description: string;
  /** Description for videos; if absent, only pictures and frames have this value. */
  ofVideo?: string;
  value(result: Result): boolean | number | string;
  /** How `vitrine tag` prints it. */
  print?(result: Result): string;
}>;

/** One built-in analysis of a picture. */
export type Analyzer<Name extends AnalyzerName = AnalyzerName> = Readonly<{
  /** Its name until version 0.2, still used in signatures and by deprecated fields. */
  formerName?: string;
  /** Changes whenever results do; records analyzed by an older version are stale. */
  version: string;
  /** Input that it needs. An analyzer that needs none runs in the calling thread. */
  needs: readonly ('bytes' | 'small' | 'large')[];
  /** Analyzers whose results it uses, if available. They run before it, even if they are not requested. */
  after: readonly AnalyzerName[];
  /** A thread that runs longer is terminated, and this result is lost. Loading the model counts toward the time. */
  maxSeconds: number;
  /** The first run loads the analyzer's code and models. */
  run: (view: View) => Promise<Facts[Name]>;
  /** Merges the results of a video's frames; if absent, the first frame's result is used. */
  merge?(results: readonly Facts[Name][], frames: readonly Outcomes[]): Facts[Name];
  shown?: readonly ShownValue<Facts[Name]>[];
}>;

/** The pixels that an analyzer needs. */
function pixels(raster: Raster | null): Raster {
  if (raster === null) throw new Error('an analyzer ran without the pixels it needs');
  return raster;
}

/** All built-in analyzers, one row each. */
export const analyzers: { readonly [Name in Exclude<AnalyzerName, 'nsfw'>]: Analyzer<Name> } = {
  shape: {
    version: '1',
    needs: [],
    after: [],
    maxSeconds: 1,
    run: async (view) => (await import('./fingerprint/shape.ts')).describeShape(view),
    shown: [
      {
        name: 'orientation',
        type: 'String',
        description: '`landscape`, `portrait` or `square`.',
        value: ({ orientation }) => orientation,
      },
    ],
  },
  colors: {
    formerName: 'colours',
    version: '1',
    needs: ['small'],
    after: [],
    maxSeconds: 10,
    run: async ({ small }) => (await import('./analyzers/colors.ts')).findColors(pixels(small)),
    merge: mergeColors,
    shown: [
      {
        name: 'isBw',
        type: 'Boolean',
        description: 'Whether it is black and white.',
        ofVideo: 'Whether every frame is black and white.',
        value: ({ isBlackAndWhite }) => isBlackAndWhite,
      },
    ],
  },
  embedded: {
    version: '3',
    needs: ['bytes'],
    after: [],
    maxSeconds: 20,
    run: async ({ bytes, langs }) =>
      (await import('./analyzers/embedded.ts')).readEmbedded(Buffer.from(bytes ?? new Uint8Array()), langs[0]),
  },
  pdq: {
    version: '1',
    needs: ['small'],
    after: [],
    maxSeconds: 10,
    run: async ({ small }) => (await import('./fingerprint/pdq.ts')).hashPdq(pixels(small)),
  },
  localFeatures: {
    formerName: 'likeness',
    version: 'orb-128-1',
    needs: ['small'],
    after: [],
    maxSeconds: 20,
    run: async ({ small }) => (await import('./fingerprint/signature.ts')).findLocalFeatures(pixels(small)),
  },
  faces: {
    version: 'blazeface-facemesh-3.3.6-5',
    needs: ['small', 'large'],
    after: [],
    maxSeconds: 30,
    run: async ({ small, large, run }) =>
      (await import('./analyzers/faces.ts')).findFaces(pixels(small), pixels(large), run),
    merge: longest,
  },
  objects: {
    version: 'centernet-3.3.6-2',
    needs: ['small', 'large'],
    after: [],
    maxSeconds: 30,
    run: async ({ small, large, run }) =>
      (await import('./analyzers/confirm.ts')).findConfirmed(pixels(small), pixels(large), run),
    merge: longest,
  },
  ocr: {
    formerName: 'text',
    version: 'tesseract-7.0-4',
    needs: ['large'],
    after: [],
    maxSeconds: 60,
    run: async (view) => (await import('./ocr/read-ocr.ts')).readOcr(pixels(view.large), view),
    merge: mergeOcr,
  },
  embedding: {
    version: 'centernet-cedd-pca128-2',
    needs: ['small'],
    after: [],
    maxSeconds: 30,
    run: async ({ small, run }) => (await import('./analyzers/embedding.ts')).embed(pixels(small), run),
  },
  concepts: {
    version: '6',
    needs: [],
    after: ['objects', 'faces', 'colors', 'embedded'],
    maxSeconds: 1,
    run: async ({ found }) => (await import('./captions/concepts.ts')).findConcepts(found),
    merge: mergeConcepts,
  },
  caption: {
    version: '5',
    needs: [],
    after: ['objects', 'faces', 'colors'],
    maxSeconds: 1,
    run: async (view) => (await import('./captions/caption.ts')).writeCaption(view),
    merge: captionOfRichest,
  },
};

/** The shown values of all analyzers, each with its analyzer. */
export const shownValues: readonly (ShownValue & Readonly<{ analyzer: AnalyzerName }>)[] = Object.entries(
  analyzers,
).flatMap(([name, { shown = [] }]) =>
  (shown as readonly ShownValue[]).map((each) => ({ ...each, analyzer: name as AnalyzerName })),
);

/** The built-in analyzer with this name; null if only providers have one. */
export function builtinAnalyzer(name: AnalyzerName): Analyzer | null {
  return (analyzers as Partial<Record<AnalyzerName, Analyzer>>)[name] ?? null;
}

/** The name that an analyzer had until version 0.2. */
export function formerNameOf(name: string): string {
  return builtinAnalyzer(name as AnalyzerName)?.formerName ?? name;
}

/** The input that these analyzers need, including those that they depend on. */
export function needsOf(names: readonly AnalyzerName[]): ReadonlySet<'bytes' | 'small' | 'large'> {
  return new Set(withTheirSources(names).flatMap((name) => builtinAnalyzer(name)?.needs ?? []));
}

/** The longer side, in pixels, to which a picture is decoded for these analyzers. */
export function sideFor(names: readonly AnalyzerName[]): number {
  return needsOf(names).has('large') ? rasterSides.large : rasterSides.small;
}

function withTheirSources(names: readonly AnalyzerName[]): AnalyzerName[] {
  return names.flatMap((name) => [name, ...withTheirSources(builtinAnalyzer(name)?.after ?? [])]);
}
