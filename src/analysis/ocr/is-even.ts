import type { Component } from './components.ts';

/**
 * How much the letters of one line may differ, as standard deviation divided by mean. Measured: printed lines
 * have strokes within 0.11 and contrasts within 0.11; leaves, gravel and waves have 0.2 and more.
 */
const even = { stroke: 0.2, contrast: 0.22, height: 0.32, fragments: 0.42, color: 0.26 } as const;
/** Short lines of little contrast occur by chance, so a line must reach one of these minimums. */
const strong = { letters: 5, contrast: 60 } as const;

/**
 * Short faint lines must be more even than others in all measures combined. Measured: words on photographs stay below 0.8,
 * most rows of leaves and waves exceed 1.1.
 */
const faint = { letters: 6, contrast: 50, unevenness: 1.1 } as const;

const plain = { letters: 12, contrast: 90 } as const;

/** Whether the shapes in a row are as similar as the letters of one line. */
export function isEven(letters: readonly Component[]): boolean {
  const contrast = spread(letters.map((each) => each.contrast));
  const color = ([0, 1, 2] as const).map((channel) => spread(letters.map((each) => each.color[channel])).deviation);
  const most = isPlain(letters, contrast) ? even.fragments : even.height;
  // Each as a fraction of its limit.
  const unevenness = [
    relative(contrast) / even.contrast,
    relative(spread(letters.map((each) => each.stroke))) / even.stroke,
    relative(spread(letters.map(({ top, bottom }) => bottom - top))) / most,
  ];
  const isFaint = letters.length <= faint.letters && contrast.mean < faint.contrast;
  return (
    (letters.length >= strong.letters || contrast.mean >= strong.contrast) &&
    unevenness.every((each) => each <= 1) &&
    (!isFaint || Math.hypot(...unevenness) <= faint.unevenness) &&
    Math.hypot(...color) / contrast.mean <= even.color
  );
}

const relative = ({ mean, deviation }: Spread) => deviation / mean;

/** Many letters of strong contrast are hardly chance; their heights may vary more, as they may include background. */
function isPlain(letters: readonly Component[], contrast: Spread): boolean {
  return letters.length >= plain.letters && contrast.mean >= plain.contrast;
}

type Spread = Readonly<{ mean: number; deviation: number }>;

function spread(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) };
}
