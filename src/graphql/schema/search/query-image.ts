import { AppError } from '../../../lib/errors.ts';
import { uploadQueryImage } from '../../../tagging/index.ts';
import type { QueryImage } from '../../../similarity/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { readUpload } from '../upload.ts';

const QueryImageRef = builder.objectRef<QueryImage>('QueryImage').implement({
  description: 'A picture for searches, kept for 24 hours.',
  fields: (t) => ({
    hash: t.exposeString('hash', {
      description: 'Hash for formulas: `i=qh_…`, `i~qh_…`. The same file has the same hash.',
    }),
    width: t.exposeInt('width', { description: 'Width of the upright picture in pixels.' }),
    height: t.exposeInt('height', { description: 'Its height.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it expires: 24 hours after it was last sent or used.',
    }),
  }),
});

builder.mutationField('uploadQueryImage', (t) =>
  t.field({
    type: QueryImageRef,
    description: 'Keeps a picture for searches for 24 hours: `images(q: "i=HASH")`. It is not a record of the catalog.',
    args: { image: t.arg({ type: 'Upload', required: true, description: 'The picture.' }) },
    authScopes: { scope: 'imgs:query' },
    resolve: async (_root, { image }, context) => {
      const { imageAnalyzer } = context.services;
      if (imageAnalyzer === undefined)
        throw new AppError('not_implemented', 'Image analysis is disabled in this process');
      return uploadQueryImage(
        tenantOf(context),
        await readUpload(image, 'image'),
        imageAnalyzer,
        context.request.signal,
      );
    },
  }),
);
