import { alikeTiers, duplicateTiers } from '../../../similarity/index.ts';
import type { ExplainedRow } from '../../../search/index.ts';
import type { MatchExplanation } from '../../../similarity/index.ts';
import { builder } from '../builder.ts';
import { Image } from '../records/image.ts';
import { BoxObject } from '../analysis/analysis-objects.ts';
import { Video } from '../records/video.ts';

const MatchTier = builder.enumType('MatchTier', {
  description: 'The tier of a match: the same picture, or similar.',
  values: Object.fromEntries(
    [...duplicateTiers, ...alikeTiers].map(({ tier, operator, meaning }) => [
      tier,
      { description: `${meaning[0]?.toUpperCase()}${meaning.slice(1)}: \`i${operator}\`.` },
    ]),
  ) as Record<MatchExplanation['tier'], { description: string }>,
});

const MatchMeasure = builder.enumType('MatchMeasure', {
  description: 'How a match was found.',
  values: {
    checksum: { description: 'The same file.' },
    pixels: { description: 'The same pixels, for pictures with little detail.' },
    hash: { description: 'Near hashes.' },
    geometry: { description: 'Corners that agree.' },
    verdict: { description: 'The verdict of a person.' },
    embedding: { description: 'Near vectors of a model.' },
    words: {
      description:
        'Words of a text, among the concepts and texts of the image: no text embedding model is configured, so the picture itself was not compared. The similarity is at most 0.5.',
    },
  } satisfies Record<MatchExplanation['by'], { description: string }>,
});

type Shown = NonNullable<MatchExplanation['overlap']>['found'];
const rounded = (share: number) => Math.round(share * 10_000) / 10_000;
const toBox = ({ x, y, width, height }: Shown) => ({
  x: rounded(x),
  y: rounded(y),
  w: rounded(width),
  h: rounded(height),
});

const MatchObject = builder.objectRef<MatchExplanation>('Match').implement({
  description:
    'Why a record matches a similarity term; if there are several, the best match. For a video it concerns one frame.',
  fields: (t) => ({
    tier: t.expose('tier', { type: MatchTier, description: 'The tier of the match.' }),
    operator: t.exposeString('operator', { description: 'The narrowest operator that finds it, such as `i==`.' }),
    by: t.expose('by', { type: MatchMeasure, description: 'How it was found.' }),
    distance: t.exposeFloat('distance', {
      description:
        'For the same picture: differing bits of 256. For similar pictures: 1 minus the cosine, or minus the fraction of matching words.',
    }),
    flip: t.exposeBoolean('flip', { description: 'Whether it is mirrored.' }),
    rotation: t.exposeFloat('rotation', { description: 'Clockwise rotation in degrees, after the flip.' }),
    crop: t.exposeBoolean('crop', { description: 'Whether one shows a part of the other.' }),
    overlap: t.field({
      type: BoxObject,
      nullable: true,
      description: 'The region of this picture that both show; null if hashes were sufficient.',
      resolve: ({ overlap }) => overlap && toBox(overlap.found),
    }),
    overlapReference: t.field({
      type: BoxObject,
      nullable: true,
      description: 'The same region in the reference picture.',
      resolve: ({ overlap }) => overlap && toBox(overlap.reference),
    }),
    verified: t.exposeBoolean('verified', { description: 'Whether corners or pixels were compared and agree.' }),
  }),
});

/** Fields that a listed record also has if the formula contains a similarity term. */
for (const type of [Image, Video]) {
  builder.objectFields(type, (t) => ({
    similarity: t.float({
      nullable: true,
      description:
        'Similarity to the references of the formula, 0 to 1; at most 0.5 if words were compared; null without a similarity term.',
      resolve: (row) => (row as ExplainedRow).similarity ?? null,
    }),
    match: t.field({
      type: MatchObject,
      nullable: true,
      description: 'Why it matches the similarity terms of the formula; null without any.',
      resolve: (row) => (row as ExplainedRow).match ?? null,
    }),
  }));
}
