import { AppError } from '../../../lib/errors.ts';
import { builder } from '../builder.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';

builder.mutationField('mergeImages', (t) =>
  t.field({
    type: WriteResult,
    description:
      'Keeps one of several duplicates and deletes the others: the kept image takes over values of fields that it lacks, ' +
      'from the others in their order, and the elements of their lists. Its file, its locked fields and its locks stay. ' +
      'The elements are the deleted images; undoing the operation brings back all of it.',
    args: {
      into: t.arg.id({ required: true, description: 'Id of the image to keep.' }),
      ids: t.arg.idList({ required: true, description: 'Ids of the images to delete, 1 to 10 000.' }),
      ...writeArgs,
    },
    authScopes: { scope: 'imgs:write' },
    resolve: (_root, { into, ids, ...args }, context) => {
      if (ids.includes(into)) {
        const hint = 'Leave the image to keep out of those to delete';
        throw new AppError('invalid_argument', 'An image cannot be merged into itself', { argument: 'ids', hint });
      }
      const elements = ids.map((id) => ({ id, values: {}, into }));
      return write('images.merge', elements, args, context, { argument: 'ids' });
    },
  }),
);
