import { alikeTiers } from '../compare/tiers.ts';
import type { AlikeTier } from '../compare/tiers.ts';

/** What pictures are compared with: a picture, a text, or words. */
type ReferenceKind = 'image' | 'text' | 'words';

/** The minimum cosine of each tier; for words, the minimum fraction of them. */
export type AlikeThresholds = Readonly<Record<AlikeTier, number>>;

type Row = Readonly<{ model: RegExp }> & Readonly<Partial<Record<ReferenceKind, AlikeThresholds>>>;

/**
 * Measured on the built-in model's vectors, docs/similarity.md. Percentage of pairs of the same scene, the same theme and
 * different themes that pass: 80, 7 and 0.05 (scene) · 100, 39 and 4 (subject) · 100, 68 and 17 (theme).
 */
const builtin: AlikeThresholds = { scene: 0.75, subject: 0.45, theme: 0.25 };

/** By the name of a model with its version; the first matching row counts. */
const rows: readonly Row[] = [
  { model: /^builtin centernet-cedd-pca128-2$/, image: builtin },
  {
    // Not measured here: taken from published distributions of cosines of such models. Words and pictures lie in two
    // cones of their space, so their cosines are far smaller than those of two pictures.
    model: /clip/i,
    image: { scene: 0.9, subject: 0.78, theme: 0.65 },
    text: { scene: 0.31, subject: 0.27, theme: 0.23 },
  },
  {
    model: /siglip/i,
    image: { scene: 0.9, subject: 0.78, theme: 0.65 },
    text: { scene: 0.14, subject: 0.11, theme: 0.08 },
  },
];

/**
 * Similarity when all words of a text match: this does not compare what the picture looks like, so it ranks behind
 * any result from pictures or a model.
 */
export const wordWeight = 0.5;

/** Share of the words that must match: all, three in four, half. */
const words: AlikeThresholds = { scene: 1, subject: 0.75, theme: 0.5 };

/** The thresholds of a model for a kind of reference; if the model is unknown, those of the built-in one. */
export function thresholdsOf(model: string | null, kind: ReferenceKind): AlikeThresholds {
  if (kind === 'words') return words;
  return rows.find((row) => row.model.test(model ?? ''))?.[kind] ?? builtin;
}

/** The strictest tier that a value reaches; the widest if it reaches none. */
export function tierOf(thresholds: AlikeThresholds, value: number): (typeof alikeTiers)[number] {
  return alikeTiers.find(({ tier }) => value >= thresholds[tier] - 1e-9) ?? alikeTiers[2];
}
