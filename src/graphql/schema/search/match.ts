import { alikeTiers, duplicateTiers } from '../../../similarity/index.ts';
import type { Found } from '../../../search/index.ts';
import type { MatchExplanation } from '../../../similarity/index.ts';
import { builder } from '../builder.ts';
import { Image } from '../records/image.ts';
import { BoxObject } from '../analysis/analysis-objects.ts';
import { Video } from '../records/video.ts';

const MatchTier = builder.enumType('MatchTier', {
  description: 'How sure a match is, in the words of each family: the same picture, or alike.',
  values: Object.fromEntries(
    [...duplicateTiers, ...alikeTiers].map(({ tier, operator, meaning }) => [
      tier,
      { description: `${meaning[0]?.toUpperCase()}${meaning.slice(1)}: \`i${operator}\`.` },
    ]),
  ) as Record<MatchExplanation['tier'], { description: string }>,
});

const MatchMeasure = builder.enumType('MatchMeasure', {
  description: 'What a match was found by.',
  values: {
    checksum: { description: 'The same file.' },
    pixels: { description: 'The same pixels, of pictures with little to see.' },
    hash: { description: 'Near hashes.' },
    geometry: { description: 'Corners that agree.' },
    verdict: { description: 'A person said so.' },
    embedding: { description: 'Near vectors of a model.' },
    words: {
      description:
        'Words of a text, among what is seen in the image and said of it: no model of texts is configured, and nobody compared what it looks like. Its similarity is 0.5 at most.',
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
    'Why a record answers a similarity term; of several, the one that it answers best. Of a video it is about one of its frames.',
  fields: (t) => ({
    tier: t.expose('tier', { type: MatchTier, description: 'How sure it is.' }),
    operator: t.exposeString('operator', { description: 'The narrowest operator that finds it, such as `i==`.' }),
    by: t.expose('by', { type: MatchMeasure, description: 'What it was found by.' }),
    distance: t.exposeFloat('distance', {
      description:
        'Of the same picture bits of 256 that differ; of what is alike 1 less the cosine, or share of words.',
    }),
    flip: t.exposeBoolean('flip', { description: 'It shows the mirror image.' }),
    rotation: t.exposeFloat('rotation', { description: 'Degrees that it is turned clockwise, after the flip.' }),
    crop: t.exposeBoolean('crop', { description: 'One of the two shows a part of the other.' }),
    overlap: t.field({
      type: BoxObject,
      nullable: true,
      description: 'The part of this picture that both show; null where hashes said enough and nobody looked closer.',
      resolve: ({ overlap }) => overlap && toBox(overlap.found),
    }),
    overlapReference: t.field({
      type: BoxObject,
      nullable: true,
      description: 'The same part, in what was searched by.',
      resolve: ({ overlap }) => overlap && toBox(overlap.reference),
    }),
    verified: t.exposeBoolean('verified', { description: 'Corners or pixels were compared, and agree.' }),
  }),
});

/** What a record of a list has beside itself where the formula asks for similarity. */
for (const type of [Image, Video]) {
  builder.objectFields(type, (t) => ({
    similarity: t.float({
      nullable: true,
      description:
        'How similar it is to what the formula asks for, 0 to 1, and 0.5 at most where words were compared; null where that asks for no similarity.',
      resolve: (row) => (row as Found).similarity ?? null,
    }),
    match: t.field({
      type: MatchObject,
      nullable: true,
      description: 'Why it answers the similarity terms of the formula; null where there are none.',
      resolve: (row) => (row as Found).match ?? null,
    }),
  }));
}
