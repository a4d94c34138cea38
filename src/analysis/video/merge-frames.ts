import type { Color } from '../analyzers/colors.ts';
import type { AnalyzerName, Caption, Concept, Facts, OcrResult, Outcome, Outcomes, Warning } from '../facts.ts';

/** The combined results of frames. An analyzer that failed on some has an error, and the results of the others in `seen`. */
export type Merged = Readonly<{ outcomes: Outcomes; seen: Outcomes }>;

/** Maximum number of dominant colors, as for pictures. */
const mostColors = 8;
const leastPercent = 1;

type Merger<Name extends AnalyzerName> = (results: readonly Facts[Name][], frames: readonly Outcomes[]) => Facts[Name];

/** How the results of frames become one of the video; other results exist only for single frames. */
const mergers: { readonly [Name in AnalyzerName]?: Merger<Name> } = {
  /** Those of the frame with the most: the same face counts once. */
  faces: longest,
  objects: longest,
  colours: mergeColors,
  text: mergeText,
  concepts: mergeConcepts,
  caption: captionOfRichest,
  nsfw: (results) => results.reduce((most, each) => (each.confidence > most.confidence ? each : most)),
};

/** Joins the results of the frames of a video. @param frames the outcomes of each, in order of time. */
export function mergeFrames(frames: readonly Outcomes[]): Merged {
  const names = new Set(frames.flatMap((outcomes) => Object.keys(outcomes) as AnalyzerName[]));
  const outcomes: Record<string, Outcome<unknown>> = {};
  const seen: Record<string, Outcome<unknown>> = {};
  for (const name of names) {
    const all = frames.flatMap((frame): Outcome<unknown>[] => (frame[name] === undefined ? [] : [frame[name]]));
    const [first] = all;
    if (first === undefined) continue;
    const { analyzer, version } = first;
    const milliseconds = Math.round(all.reduce((sum, each) => sum + each.milliseconds, 0) * 10) / 10;
    const warnings = warningsOf(all);
    const origin = { analyzer, version, milliseconds, ...(warnings.length > 0 && { warnings }) };
    const results = all.flatMap(({ result, error }) => (error === undefined ? [result] : []));
    const errors = all.flatMap(({ error }) => error ?? []);
    if (results.length > 0) seen[name] = { ...origin, result: mergeOf(name)(results, frames) };
    const [error] = errors;
    if (error !== undefined) {
      const where = all.length === errors.length ? 'every frame' : `${errors.length} of ${all.length} frames`;
      outcomes[name] = { ...origin, error: { code: error.code, message: `${error.message} (${where})` } };
    } else if (seen[name] !== undefined) outcomes[name] = seen[name];
  }
  return { outcomes: outcomes as Outcomes, seen: seen as Outcomes };
}

/** Warnings about frames, each once; that nothing was recognized only if it applies to all of them. */
function warningsOf(frames: readonly Outcome<unknown>[]): Warning[] {
  const byCode = new Map(frames.flatMap(({ warnings = [] }) => warnings).map((warning) => [warning.code, warning]));
  const isBlank = ({ warnings = [] }: Outcome<unknown>) => warnings.some(({ code }) => code === 'nothing_recognized');
  if (!frames.every(isBlank)) byCode.delete('nothing_recognized');
  return [...byCode.values()];
}

/** Each merger gets results of its own analyzer, which types cannot express. */
function mergeOf(name: AnalyzerName): (results: readonly unknown[], frames: readonly Outcomes[]) => unknown {
  const merger = mergers[name] as ((results: readonly unknown[], frames: readonly Outcomes[]) => unknown) | undefined;
  return merger ?? (([first]) => first);
}

function longest<T>(results: readonly (readonly T[])[]): readonly T[] {
  return results.reduce((most, each) => (each.length > most.length ? each : most));
}

/** The mean of the frames' fractions, by name; black and white is a video without a colored frame. */
function mergeColors(results: readonly Facts['colours'][]): Facts['colours'] {
  const byName = new Map<string, Color>();
  for (const color of results.flatMap(({ colours: colors }) => colors).toSorted((a, b) => b.percent - a.percent)) {
    const known = byName.get(color.name);
    byName.set(color.name, { ...(known ?? color), percent: (known?.percent ?? 0) + color.percent });
  }
  const colors = [...byName.values()]
    .map((color) => ({ ...color, percent: Math.round((10 * color.percent) / results.length) / 10 }))
    .filter(({ percent }) => percent >= leastPercent)
    .toSorted((a, b) => b.percent - a.percent);
  return {
    colours: colors.slice(0, mostColors),
    isBlackAndWhite: results.every(({ isBlackAndWhite }) => isBlackAndWhite),
  };
}

/** Each line once, where it is first read. */
function mergeText(results: readonly OcrResult[]): OcrResult {
  const lines = results.flatMap((each) => each.lines);
  const known = new Set<string>();
  const kept = lines.filter(({ text }) => !known.has(text.toLowerCase()) && known.add(text.toLowerCase()));
  // Models read text without positions.
  const texts = kept.length > 0 ? kept.map(({ text }) => text) : results.map(({ text }) => text);
  const text = [...new Set(texts.filter((each) => each !== ''))].join('\n');
  return { text, lines: kept, turned: results.find((each) => each.text !== '')?.turned ?? 0 };
}

/** An object in one frame is in the video; a color concept must apply to all frames. */
function mergeConcepts(results: readonly Facts['concepts'][]): readonly Concept[] {
  const byLabel = new Map<string, { concept: Concept; count: number }>();
  for (const concept of results.flat()) {
    const key = concept.labels.en.toLowerCase();
    const known = byLabel.get(key);
    const isSurer = known === undefined || concept.confidence > known.concept.confidence;
    byLabel.set(key, { concept: isSurer ? concept : known.concept, count: (known?.count ?? 0) + 1 });
  }
  return [...byLabel.values()]
    .filter(({ concept, count }) => concept.source !== 'colours' || count === results.length)
    .map(({ concept }) => concept)
    .toSorted((a, b) => b.confidence - a.confidence);
}

/** The caption of the frame with the most concepts, of equals the first; none if no frame has one. */
function captionOfRichest(captions: readonly Caption[], frames: readonly Outcomes[]): Caption {
  const written = frames.filter(({ caption }) => Object.values(caption?.result ?? {}).some((text) => text !== ''));
  const counts = written.map(({ concepts }) => concepts?.result?.length ?? 0);
  return written[counts.indexOf(Math.max(...counts))]?.caption?.result ?? captions[0] ?? {};
}
