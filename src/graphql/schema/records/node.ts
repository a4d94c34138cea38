import { findRecords } from '../../../catalog/index.ts';
import type { RecordRow, Resource } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Scope } from '../../../tenants/index.ts';
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '../builder.ts';
import { requireScope, tenantOf } from '../context.ts';
import type { Context } from '../context.ts';
import { Image } from './image.ts';
import { decodeNodeId, NodeRef } from './node-id.ts';
import { requestedFields } from './requested-fields.ts';
import { Video } from './video.ts';

/** The types of nodes: where to find them, and the scope required to read them. */
const kinds: ReadonlyMap<string, Readonly<{ resource: Resource; scope: Scope }>> = new Map([
  [Image.name, { resource: 'image', scope: 'imgs:read' }],
  [Video.name, { resource: 'video', scope: 'vids:read' }],
]);

/** Maximum number of ids in a request, the same as for a page. */
const maxNodes = 1000;

builder.queryField('node', (t) =>
  t.field({
    type: NodeRef,
    nullable: true,
    description:
      'The image or video with this `nodeId`; null if the tenant has none. Videos need the scope `vids:read`.',
    args: { id: t.arg.id({ required: true, description: 'Its `nodeId`.' }) },
    authScopes: { scope: 'imgs:read' },
    resolve: async (_root, { id }, context, info) => (await findNodes(context, [id], info))[0] ?? null,
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeRef],
    nullable: { list: false, items: true },
    description: `The images and videos with these ids, in their order; null for each that does not exist. At most ${maxNodes}.`,
    args: { ids: t.arg.idList({ required: true, description: 'Their `nodeId`s.' }) },
    authScopes: { scope: 'imgs:read' },
    resolve: async (_root, { ids }, context, info) => {
      if (ids.length <= maxNodes) return findNodes(context, ids, info);
      throw new AppError('invalid_argument', `ids must have at most ${maxNodes} elements`, { argument: 'ids' });
    },
  }),
);

/** Returns the record of each id, or null. Uses one statement per type. */
async function findNodes(
  context: Context,
  ids: readonly string[],
  info: GraphQLResolveInfo,
): Promise<(RecordRow | null)[]> {
  const keys = ids.map(decodeNodeId);
  const found = new Map<string, ReadonlyMap<string, RecordRow>>();
  for (const [type, { resource, scope }] of kinds) {
    const own = [...new Set(keys.flatMap((key) => (key?.type === type ? [key.id] : [])))];
    if (own.length === 0) continue;
    requireScope(context, scope);
    found.set(type, await findRecords(tenantOf(context), resource, own, requestedFields(info)));
  }
  return keys.map((key) => {
    const row = key && found.get(key.type)?.get(key.id);
    return row ? { ...row, __typename: key.type } : null;
  });
}
