import { sniffedBytes, sniffMediaType } from '../../../analysis/index.ts';
import { AppError } from '../../../lib/errors.ts';
import type { KeptUpload, Uploads } from '../../../uploads/index.ts';
import type { TenantDb } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { openUpload } from '../upload.ts';
import type { ArrivingFile } from '../upload-value.ts';

const UploadedFileRef = builder.objectRef<KeptUpload>('UploadedFile').implement({
  description: 'A file that was uploaded to be the source of records.',
  fields: (t) => ({
    srcPath: t.exposeString('srcPath', {
      description: 'The `srcPath` for writes. The same file always has the same one, except for the name.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'The name that it was sent with.' }),
    byteSize: t.expose('byteSize', { type: 'BigInt', description: 'Its size in bytes.' }),
    checksum: t.exposeString('checksum', { description: 'SHA-256 in hexadecimal digits.' }),
    mediaType: t.exposeString('mediaType', {
      description:
        'As the client declared it; if it declared none, or `application/octet-stream`, as the content shows. Only the content ' +
        'decides how a file is read.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it is removed, unless a write has used it.',
    }),
  }),
});

builder.mutationField('uploadSource', (t) =>
  t.field({
    type: UploadedFileRef,
    description:
      'Stores a file as a source of records: use its `srcPath` in a write within 24 hours. Send larger files, and ' +
      'resumable uploads, to /uploads.',
    args: { file: t.arg({ type: 'Upload', required: true, description: 'The picture or video.' }) },
    authScopes: { scope: 'uploads:write' },
    resolve: async (_root, { file }, context) => {
      const { uploads } = context.services;
      if (uploads === undefined) throw new AppError('not_implemented', 'This process accepts no uploads');
      return keepFile(uploads, tenantOf(context), await openUpload(file, 'file'));
    },
  }),
);

/** Stores a whole file; nothing remains of a file that does not arrive completely. */
async function keepFile(uploads: Uploads, db: TenantDb, file: ArrivingFile): Promise<KeptUpload> {
  const { name, length = null } = file;
  const { mediaType, pieces } = await withMediaType(file);
  const upload = await uploads.create(db, { name, mediaType, length, isSent: true });
  try {
    return await uploads.finish(db, await uploads.append(db, upload, 0, pieces));
  } catch (error) {
    await uploads.terminate(db, upload.id).catch(() => {}); // It expires anyway.
    throw error;
  }
}

const unknownType = 'application/octet-stream';
/** Media types that clients send if they do not know the type; curl declares any body a form. */
const saysNothing: ReadonlySet<string> = new Set([unknownType, 'application/x-www-form-urlencoded']);

/** The file with its media type: the declared one or, if that says nothing, the one that its first bytes suggest. */
async function withMediaType({
  mediaType = unknownType,
  pieces,
}: ArrivingFile): Promise<Pick<ArrivingFile, 'mediaType' | 'pieces'>> {
  if (!saysNothing.has(mediaType)) return { mediaType, pieces };
  const source = pieces[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let size = 0;
  while (size < sniffedBytes) {
    const next = await source.next();
    if (next.done === true) break;
    first.push(next.value);
    size += next.value.length;
  }
  return { mediaType: sniffMediaType(Buffer.concat(first)) ?? unknownType, pieces: continued(first, source) };
}

async function* continued(first: readonly Buffer[], source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* { [Symbol.asyncIterator]: () => source };
}
