import { readIfMatch } from '../../../catalog/index.ts';
import type { IfMatch } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { builder } from '../builder.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';

const ImageVersionInput = builder.inputType('ImageVersionInput', {
  description: 'An image as it was read.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its id.' }),
    version: t.string({ required: true, description: 'Its `version`, or the entity tag of its `GET`.' }),
  }),
});

builder.mutationField('mergeImages', (t) =>
  t.field({
    type: WriteResult,
    description:
      'Keeps one of several duplicates and deletes the others: the kept image takes over values of fields that it lacks, ' +
      'from the others in their order, and the elements of their lists. Its file, its locked fields and its locks stay. ' +
      'The elements are the deleted images; undoing the operation restores everything.',
    args: {
      into: t.arg.id({ required: true, description: 'Id of the image to keep.' }),
      ids: t.arg.idList({ required: true, description: 'Ids of the images to delete, 1 to 10 000.' }),
      versions: t.arg({
        type: [ImageVersionInput],
        description:
          'Versions of the images as you read them. An image that has changed since is not deleted; if it is the image ' +
          'to keep, none is: `precondition_failed`.',
      }),
      ...writeArgs,
    },
    authScopes: { scope: 'imgs:write' },
    resolve: (_root, { into, ids, versions, ...args }, context) => {
      if (ids.includes(into)) {
        const hint = 'Leave the image to keep out of those to delete';
        throw new AppError('invalid_argument', 'An image cannot be merged into itself', { argument: 'ids', hint });
      }
      const known = versionsOf(versions ?? [], new Set([into, ...ids]));
      const intoIfMatch = known.get(into);
      const elements = ids.map((id) => {
        const ifMatch = known.get(id);
        return { id, values: {}, into, ...(ifMatch && { ifMatch }), ...(intoIfMatch && { intoIfMatch }) };
      });
      return write('images.merge', elements, args, context, { argument: 'ids' });
    },
  }),
);

/** @throws AppError `invalid_argument` for an image that is not part of the merge, or is named twice. */
function versionsOf(
  versions: readonly Readonly<{ id: string; version: string }>[],
  merged: ReadonlySet<string>,
): ReadonlyMap<string, IfMatch> {
  const known = new Map(versions.map(({ id, version }) => [id, readIfMatch(version)]));
  const stranger = versions.find(({ id }) => !merged.has(id));
  if (stranger === undefined && known.size === versions.length) return known;
  const message = stranger === undefined ? 'An image has two versions' : `'${stranger.id}' is not one of the images`;
  const hint = 'Give at most one version per image, and only for images that are merged';
  throw new AppError('invalid_argument', message, { argument: 'versions', hint });
}
