import { additiveImageFields, defaultImageFields, groupTierNames, imageFields } from './contract.ts';
import type { Parameter, ServedEndpoint } from './endpoint.ts';
import { finished, pending, valueAt } from './answers.ts';
import { refuse } from '../request/refuse.ts';
import { boolean, closedObjectOf, integer, integerId, listOf, objectOf, oneOf, string } from './types.ts';
import type { ValueType } from './types.ts';
import { fields, idempotencyKey, limit, page, search, searchLang, writeFlags } from './parameters.ts';
import { toId, toInt32, writeReply } from './replies.ts';
import { writeOptions } from './records.ts';
import type { ReadObject } from '../compat/values.ts';

const optional = (name: string, type: ValueType, description: string): Parameter => ({
  name,
  in: 'query',
  type,
  default: null,
  description,
});

/** Clamps a size to the 32 bits of the schema's integers; no group is larger. */
const toSize = (value: unknown) => (value === null ? null : toInt32(value));

/** Groups of images that show the same picture. */
export const duplicateEndpoints: readonly ServedEndpoint[] = [
  {
    method: 'GET',
    path: '/duplicates',
    summary: 'List groups of duplicates found by a search',
    scope: 'imgs:read',
    document: 'list-duplicates',
    answers: [valueAt(200, 'A page of groups, the largest first.', 'duplicates')],
    parameters: [
      {
        ...optional('op_id', integerId, 'The operation of the search; by default the last one.'),
        as: 'operationId',
      },
      optional('tier', oneOf('GroupTier', groupTierNames), 'Only a search of this tier.'),
      optional('min_size', integer({ ge: 1 }), 'Minimum number of images in a group.'),
      optional('max_size', integer({ ge: 1 }), 'Maximum number of images in a group.'),
      optional('image_id', string, 'Only the group with this image.'),
      optional('decided', boolean, 'Only decided groups, or only undecided ones.'),
      search('Formula: only groups with an image that matches it.'),
      searchLang,
      page,
      { ...limit(100), default: 20, description: 'Groups per page.' },
      {
        ...limit(100),
        name: 'members',
        default: 20,
        description: 'Maximum number of images listed per group; the formula `i==ID` finds all of a larger group.',
      },
      fields('ImageField', imageFields, defaultImageFields, additiveImageFields),
    ],
    defaultFields: defaultImageFields,
    recordType: 'Image',
    variables: ({ values }) => ({
      operationId: values['op_id'] === null ? null : toId(values['op_id']),
      tier: values['tier'],
      minSize: toSize(values['min_size']),
      maxSize: toSize(values['max_size']),
      imageId: values['image_id'],
      decided: values['decided'],
      q: values['q'],
      lang: values['lang'],
      page: toInt32(values['page']),
      limit: values['limit'],
      members: values['members'],
    }),
    reply: ({ duplicates }, { values }) => {
      const isMissing = (duplicates as { search: unknown }).search === null;
      if (isMissing && values['op_id'] !== null)
        throw refuse(404, 'This operation is not a finished search for duplicates');
      return { status: 200, body: duplicates };
    },
  },
  {
    method: 'POST',
    path: '/duplicates',
    summary: 'Search for duplicates, among all images or some',
    scope: 'dups:write',
    document: 'find-duplicates',
    answers: [{ ...finished, description: 'Finished; `GET /duplicates` returns the result.' }, pending],
    parameters: [
      search('Formula of the images to search; empty for all images.'),
      searchLang,
      {
        name: 'tier',
        in: 'query',
        type: oneOf('GroupTier', groupTierNames),
        default: 'same',
        description:
          'Tier of the duplicates: `near` as `i===` finds them, `same` as `i==` does, `edited` as `i=` does, ' +
          'of at most 100 000 images.',
      },
      ...writeFlags.filter(({ name }) => name !== 'strict' && name !== 'dry_run'),
      idempotencyKey,
    ],
    variables: ({ values, preferWait }) => {
      const { q, lang, tier, wait, urgent, 'Idempotency-Key': key } = values;
      return { q, lang, tier, wait, urgent, idempotencyKey: key, waitSeconds: preferWait };
    },
    reply: writeReply,
  },
  {
    method: 'POST',
    path: '/duplicates/merge',
    summary: 'Merge duplicates: keep one, fill its empty fields from the others, and delete the others',
    scope: 'imgs:write',
    document: 'merge-images',
    answers: [finished, pending],
    parameters: [...writeFlags, idempotencyKey],
    body: {
      kind: 'json',
      name: 'DuplicatesMerge',
      type: objectOf([
        { name: 'into', type: string, required: true, description: 'Identifier of the image to keep.' },
        {
          name: 'ids',
          type: listOf(string, { min: 1, max: 10_000 }),
          required: true,
          description: 'Identifiers of the images to delete; values are taken over in this order.',
        },
        {
          name: 'versions',
          type: listOf(
            closedObjectOf([
              { name: 'id', type: string, required: true, description: 'Identifier of the image.' },
              { name: 'version', type: string, required: true, description: 'Its `ETag` when it was read.' },
            ]),
            { max: 10_001 },
          ),
          description:
            'Versions of the images as you read them. An image that has changed since is not deleted; if it is the ' +
            'image to keep, none is.',
        },
      ]),
      description: 'What is kept, and what is deleted.',
    },
    variables: (input) => {
      const { versions, ...values } = (input.body as ReadObject).values as Readonly<{
        versions?: readonly ReadObject[];
      }>;
      return { ...values, versions: versions?.map((each) => each.values), ...writeOptions(input) };
    },
    reply: writeReply,
  },
];
