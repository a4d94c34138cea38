import type { Color } from '../analyzers/colors.ts';
import type { Caption, Concept, Facts, OcrResult, Outcomes } from '../facts.ts';

/** Maximum number of dominant colors, as for pictures. */
const mostColors = 8;
const leastPercent = 1;

/** The longest result of any frame, so that the same face counts once. */
export function longest<T>(results: readonly (readonly T[])[]): readonly T[] {
  return results.reduce((most, each) => (each.length > most.length ? each : most));
}

/** Averages the frames' percentages by color name; a video without a colored frame is black and white. */
export function mergeColors(results: readonly Facts['colors'][]): Facts['colors'] {
  const byName = new Map<string, Color>();
  for (const color of results.flatMap(({ dominant }) => dominant).toSorted((a, b) => b.percent - a.percent)) {
    const known = byName.get(color.name);
    byName.set(color.name, { ...(known ?? color), percent: (known?.percent ?? 0) + color.percent });
  }
  const colors = [...byName.values()]
    .map((color) => ({ ...color, percent: Math.round((10 * color.percent) / results.length) / 10 }))
    .filter(({ percent }) => percent >= leastPercent)
    .toSorted((a, b) => b.percent - a.percent);
  return {
    dominant: colors.slice(0, mostColors),
    isBlackAndWhite: results.every(({ isBlackAndWhite }) => isBlackAndWhite),
  };
}

/** Keeps each line once, where it is first read. */
export function mergeOcr(results: readonly OcrResult[]): OcrResult {
  const lines = results.flatMap((each) => each.lines);
  const known = new Set<string>();
  const kept = lines.filter(({ text }) => !known.has(text.toLowerCase()) && known.add(text.toLowerCase()));
  // Lines have positions; models read text without any.
  const texts = kept.length > 0 ? kept.map(({ text }) => text) : results.map(({ text }) => text);
  const text = [...new Set(texts.filter((each) => each !== ''))].join('\n');
  return { text, lines: kept, turned: results.find((each) => each.text !== '')?.turned ?? 0 };
}

/** An object in one frame is in the video; a color concept must apply to all frames. */
export function mergeConcepts(results: readonly Facts['concepts'][]): readonly Concept[] {
  const byLabel = new Map<string, { concept: Concept; count: number }>();
  for (const concept of results.flat()) {
    const key = concept.labels.en.toLowerCase();
    const known = byLabel.get(key);
    const isSurer = known === undefined || concept.confidence > known.concept.confidence;
    byLabel.set(key, { concept: isSurer ? concept : known.concept, count: (known?.count ?? 0) + 1 });
  }
  return [...byLabel.values()]
    .filter(({ concept, count }) => concept.source !== 'colors' || count === results.length)
    .map(({ concept }) => concept)
    .toSorted((a, b) => b.confidence - a.confidence);
}

/** The caption of the frame with the most concepts, the first one if tied; none if no frame has one. */
export function captionOfRichest(captions: readonly Caption[], frames: readonly Outcomes[]): Caption {
  const written = frames.filter(({ caption }) => Object.values(caption?.result ?? {}).some((text) => text !== ''));
  const counts = written.map(({ concepts }) => concepts?.result?.length ?? 0);
  return written[counts.indexOf(Math.max(...counts))]?.caption?.result ?? captions[0] ?? {};
}
