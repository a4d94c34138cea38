import { findPoster } from '../../../catalog/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { declareRecord } from './record.ts';
import { declareWrites } from './declare-writes.ts';

export const { type: Video, facet: VideoFacet } = declareRecord({
  resource: 'video',
  type: 'Video',
  many: 'videos',
  scope: 'vids:read',
});
declareWrites({ resource: 'video', type: 'Video', many: 'videos', scope: 'vids:write' });

const VideoPoster = builder.objectRef<{ base64: string }>('VideoPoster').implement({
  description: 'A picture of a video.',
  fields: (t) => ({
    contentType: t.string({ description: 'Its media type.', resolve: () => 'image/jpeg' }),
    base64: t.exposeString('base64', { description: 'Its bytes in base64.' }),
  }),
});

builder.queryField('videoPoster', (t) =>
  t.field({
    type: VideoPoster,
    nullable: true,
    description: 'The first good frame of a video; null if there is no such video, or no frame.',
    args: { id: t.arg.id({ required: true, description: 'The video id.' }) },
    authScopes: { scope: 'vids:read' },
    resolve: async (_root, { id }, context) => {
      const base64 = await findPoster(tenantOf(context), id);
      return base64 === null ? null : { base64 };
    },
  }),
);
