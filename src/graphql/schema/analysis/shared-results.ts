import { formerNameOf } from '../../../analysis/analyzers.ts';
import type { Color, Language } from '../../../analysis/index.ts';
import type { StoredAnalysis, StoredOutcome } from '../../../catalog/index.ts';
import { builder, LanguageEnum } from '../builder.ts';
import { ColorObject, ConceptObject } from './analysis-objects.ts';
import { ImageAnalysis, resultOf } from './image-analysis.ts';
import { VideoAnalysis } from './video-analysis.ts';

/** Returns the dominant colors of a picture, or of all frames of a video; null if they were not analyzed. */
function colorsOf(analysis: Pick<StoredAnalysis, 'facts'>): Color[] | null {
  return (resultOf(analysis, 'colors')?.dominant.slice() as Color[] | undefined) ?? null;
}

/** Returns concepts with their label in one language; null if they were not analyzed. */
function conceptsIn(analysis: Pick<StoredAnalysis, 'facts'>, lang: Language) {
  const concepts = resultOf(analysis, 'concepts');
  return concepts?.map(({ labels, ...concept }) => ({ ...concept, label: labels[lang] })) ?? null;
}

type NamedOutcome = StoredOutcome & Readonly<{ kind: string }>;

const AnalyzerObject = builder.objectRef<NamedOutcome>('Analyzer').implement({
  description: 'An analyzer that ran, and its outcome.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of result: faces, ocr, embedding, …' }),
    name: t.string({
      description: 'The former name of the kind: `text`, `colours` and `likeness` for ocr, colors and localFeatures.',
      deprecationReason: 'Use kind.',
      resolve: ({ kind }) => formerNameOf(kind),
    }),
    analyzer: t.exposeString('analyzer', { description: '`builtin`, or provider and model.' }),
    version: t.exposeString('version', { description: 'Version of the analyzer.' }),
    milliseconds: t.exposeFloat('milliseconds', { description: 'Processing time in milliseconds.' }),
    isOk: t.boolean({ description: 'Whether it succeeded.', resolve: ({ error }) => error === undefined }),
    errorCode: t.string({
      nullable: true,
      description: '`failed`, `timeout`, `crashed`, `out_of_memory`, `not_available` or `budget_spent`.',
      resolve: ({ error }) => error?.code ?? null,
    }),
    errorMessage: t.string({
      nullable: true,
      description: 'Error message.',
      resolve: ({ error }) => error?.message ?? null,
    }),
  }),
});

type NamedWarning = Readonly<{ analyzer: string; code: string; message: string }>;

const AnalysisWarningObject = builder.objectRef<NamedWarning>('AnalysisWarning').implement({
  description: 'What an analysis could not do, and how to fix that.',
  fields: (t) => ({
    analyzer: t.exposeString('analyzer', { description: 'The analyzer concerned: ocr, caption, …' }),
    code: t.exposeString('code', {
      description: '`nothing_recognized`, `ocr_language_unavailable`, `fallback_used` or `caption_refused`.',
    }),
    message: t.exposeString('message', { description: 'The same for people.' }),
  }),
});

/** Returns warnings about results, each with its analyzer. */
function storedWarningsOf(facts: StoredAnalysis['facts']): NamedWarning[] {
  return analyzersOf(facts).flatMap(({ kind, warnings = [] }) => warnings.map((each) => ({ analyzer: kind, ...each })));
}

/** Returns the analyzers that ran, sorted by kind of result. */
function analyzersOf(facts: StoredAnalysis['facts']): NamedOutcome[] {
  const all = Object.entries(facts).map(([kind, outcome]) => ({ kind, ...outcome }));
  return all.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
}

const langArg = builder.args((t) => ({
  lang: t.field({ type: LanguageEnum, defaultValue: 'en', required: true, description: 'Language of the words.' }),
}));

/** The results that pictures and videos have, with their descriptions. */
const described = [
  {
    type: ImageAnalysis,
    colors: 'Dominant colors, the largest percentage first.',
    concepts: 'Generated keywords, the most confident first.',
    caption: 'A generated caption; empty if nothing was recognized, null in languages that the model does not write.',
    nsfw: 'Probability that it is not safe for work, 0 to 1.',
    warnings: 'What the analysis could not do, and how to fix that.',
    analyzers: 'The analyzers that ran, by kind.',
  },
  {
    type: VideoAnalysis,
    colors: 'Dominant colors, with their mean percentages.',
    concepts: 'Keywords of all frames, the most confident first.',
    caption: 'A caption of the frame with the most content; empty if nothing was recognized.',
    nsfw: 'Probability that its least safe frame is not safe for work, 0 to 1.',
    warnings: 'What the analysis could not do with the frames, and how to fix that.',
    analyzers: 'The analyzers that ran, by kind; times are sums over all frames.',
  },
] as const;

for (const { type, ...description } of described) {
  builder.objectFields(type, (t) => ({
    colors: t.field({
      type: [ColorObject],
      nullable: true,
      description: description.colors,
      resolve: colorsOf,
    }),
    concepts: t.field({
      type: [ConceptObject],
      nullable: true,
      description: description.concepts,
      args: langArg,
      resolve: (analysis, { lang }) => conceptsIn(analysis, lang as Language),
    }),
    caption: t.string({
      nullable: true,
      description: description.caption,
      args: langArg,
      resolve: (analysis, { lang }) => resultOf(analysis, 'caption')?.[lang as Language] ?? null,
    }),
    nsfw: t.float({
      nullable: true,
      description: description.nsfw,
      resolve: (analysis) => resultOf(analysis, 'nsfw')?.confidence ?? null,
    }),
    warnings: t.field({
      type: [AnalysisWarningObject],
      description: description.warnings,
      resolve: ({ facts }) => storedWarningsOf(facts),
    }),
    analyzers: t.field({
      type: [AnalyzerObject],
      description: description.analyzers,
      resolve: ({ facts }) => analyzersOf(facts),
    }),
  }));
}
