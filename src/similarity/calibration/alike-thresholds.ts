import { alikeTiers } from '../compare/tiers.ts';
import type { AlikeTier } from '../compare/tiers.ts';

/** What pictures are compared with: a picture, a text, or the words of a text. */
type ReferenceKind = 'image' | 'text' | 'words';

/** The minimum cosine for each tier; for words, the minimum fraction that matches. */
export type AlikeThresholds = Readonly<Record<AlikeTier, number>>;

type Row = Readonly<{ model: RegExp }> & Readonly<Partial<Record<ReferenceKind, AlikeThresholds>>>;

/**
 * Measured on the built-in model's vectors, docs/similarity.md. Percentage of pairs that pass, of the same scene, the
 * same theme and different themes: 80, 7 and 0.05 (scene) · 100, 39 and 4 (subject) · 100, 68 and 17 (theme).
 */
const builtin: AlikeThresholds = { scene: 0.75, subject: 0.45, theme: 0.25 };

/** By name and version of a model; the first matching row applies. */
const rows: readonly Row[] = [
  { model: /^builtin centernet-cedd-pca128-2$/, image: builtin },
  {
    // Not measured here, but taken from published distributions of cosines for such models. Texts and pictures occupy
    // two separate cones of the vector space, so the cosine of a text and a picture is far smaller than that of two
    // pictures.
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
 * Similarity when all words of a text match. Words do not tell what a picture looks like, so this ranks below any
 * result from pictures or a model.
 */
export const wordWeight = 0.5;

/** Which fraction of the words has to match: all, three in four, half. */
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
