import type { AnalyzerName, Facts, Outcomes } from './facts.ts';
import type { Raster } from './raster.ts';
import { captionOfRichest, longest, mergeColors, mergeConcepts, mergeOcr } from './video/merge-results.ts';
import type { View } from './view.ts';

/** The longer side of the two rasters, in pixels. */
export const rasterSides = { small: 512, large: 1600 } as const;

/** A value of a result, as GraphQL has it in `ai`. Results of several values have types of their own there. */
export type ShownValue<Result = unknown> = Readonly<{
  name: string;
  type: 'Boolean' | 'Float' | 'String';
  description: string;
  /** What it is of a video; only pictures and frames have it where nothing is said. */
  ofVideo?: string;
  value(result: Result): boolean | number | string;
  /** How `vitrine tag` prints it. */
  print?(result: Result): string;
}>;

/** One built-in analysis of a picture. */
export type Analyzer<Name extends AnalyzerName = AnalyzerName> = Readonly<{
  /** Its name until version 0.2, which signatures and deprecated fields keep. */
  formerName?: string;
  /** Changes whenever results do; records analyzed by an older one are stale. */
  version: string;
  /** One that needs neither bytes nor pixels runs in the calling thread. */
  needs: readonly ('bytes' | 'small' | 'large')[];
  /** Analyzers whose results it uses if there are any. They run before it, wanted or not. */
  after: readonly AnalyzerName[];
  /** A thread that works longer is ended, and this result is lost. Loading its model counts. */
  maxSeconds: number;
  /** Code and models of an analyzer are loaded by its first run. */
  run: (view: View) => Promise<Facts[Name]>;
  /** How the results of a video's frames become one; that of the first frame without it. */
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
    version: '2',
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
    version: '5',
    needs: [],
    after: ['objects', 'faces', 'colors', 'embedded'],
    maxSeconds: 1,
    run: async ({ found }) => (await import('./captions/concepts.ts')).findConcepts(found),
    merge: mergeConcepts,
  },
  caption: {
    version: '4',
    needs: [],
    after: ['objects', 'faces', 'colors'],
    maxSeconds: 1,
    run: async (view) => (await import('./captions/caption.ts')).writeCaption(view),
    merge: captionOfRichest,
  },
};

/** What all of them show, each with its analyzer. */
export const shownValues: readonly (ShownValue & Readonly<{ analyzer: AnalyzerName }>)[] = Object.entries(
  analyzers,
).flatMap(([name, { shown = [] }]) =>
  (shown as readonly ShownValue[]).map((each) => ({ ...each, analyzer: name as AnalyzerName })),
);

/** The built-in analyzer of a name; null for what only providers have. */
export function builtinAnalyzer(name: AnalyzerName): Analyzer | null {
  return (analyzers as Partial<Record<AnalyzerName, Analyzer>>)[name] ?? null;
}

/** The name that an analyzer had until version 0.2. */
export function formerNameOf(name: string): string {
  return builtinAnalyzer(name as AnalyzerName)?.formerName ?? name;
}

/** What analyzers need, including those that they depend on. */
export function needsOf(names: readonly AnalyzerName[]): ReadonlySet<'bytes' | 'small' | 'large'> {
  return new Set(withTheirSources(names).flatMap((name) => builtinAnalyzer(name)?.needs ?? []));
}

/** The longer side that a picture is decoded to for analyzers, in pixels. */
export function sideFor(names: readonly AnalyzerName[]): number {
  return needsOf(names).has('large') ? rasterSides.large : rasterSides.small;
}

function withTheirSources(names: readonly AnalyzerName[]): AnalyzerName[] {
  return names.flatMap((name) => [name, ...withTheirSources(builtinAnalyzer(name)?.after ?? [])]);
}
