import type { Resource } from '../../../catalog/index.ts';
import { excerpt } from '../../../lib/excerpt.ts';
import { storableText } from '../../../lib/storable-text.ts';
import { builder } from '../builder.ts';
import { write, writeArgs, WriteResult } from './write-records.ts';

/** Maximum length of the list of ids in the audit trail. */
const maxSubject = 2_000;

function declarePurge(resource: Resource, name: 'purgeImages' | 'purgeVideos'): void {
  builder.mutationField(name, (t) =>
    t.field({
      type: WriteResult,
      description:
        `Removes ${resource}s and their history for good: nothing of them can be read, undone or restored. Deleted ` +
        `${resource}s whose history is kept are purged too. The audit trail records the purge and the ids.`,
      args: { ids: t.arg.idList({ required: true, description: 'Their ids, 1 to 10 000.' }), ...writeArgs },
      authScopes: { scope: 'records:purge' },
      resolve: (_root, { ids, ...args }, context) => {
        const elements = ids.map((id) => ({ id, values: {} }));
        const subject = storableText(
          excerpt(`${ids.length} ${resource}${ids.length === 1 ? '' : 's'}: ${ids.join(', ')}`, maxSubject),
        );
        return write(`${resource}s.purge`, elements, args, context, {
          argument: 'ids',
          audit: { action: 'record.purged', subject },
        });
      },
    }),
  );
}

declarePurge('image', 'purgeImages');
declarePurge('video', 'purgeVideos');
