import { alikeTiers, duplicateTiers } from '../search/index.ts';
import type { Found, Likeness } from '../search/index.ts';
import { builder } from './builder.ts';
import { Image } from './image.ts';
import { BoxObject } from './seen.ts';

const MatchTier = builder.enumType('MatchTier', {
  description: 'How sure a match is, in the words of each family: the same picture, or alike.',
  values: Object.fromEntries(
    [...duplicateTiers, ...alikeTiers].map(({ tier, operator, meaning }) => [
      tier,
      { description: `${meaning[0]?.toUpperCase()}${meaning.slice(1)}: \`i${operator}\`.` },
    ]),
  ) as Record<Likeness['tier'], { description: string }>,
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
    words: { description: 'Words of a text, among what is seen in the image and said of it.' },
  } satisfies Record<Likeness['by'], { description: string }>,
});

type Shown = NonNullable<Likeness['overlap']>['found'];
const toBox = ({ x, y, width, height }: Shown) => ({ x, y, w: width, h: height });

const MatchObject = builder.objectRef<Likeness>('Match').implement({
  description: 'Why an image answers a similarity term; of several, the one that it answers best.',
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
      description: 'The part of this image that both show; null where hashes said enough and nobody looked closer.',
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

builder.objectFields(Image, (t) => ({
  similarity: t.float({
    nullable: true,
    description: 'How similar it is to what the formula asks for, 0 to 1; null where that asks for no similarity.',
    resolve: (row) => (row as Found).similarity ?? null,
  }),
  match: t.field({
    type: MatchObject,
    nullable: true,
    description: 'Why it answers the similarity terms of the formula; null where there are none.',
    resolve: (row) => (row as Found).match ?? null,
  }),
}));
