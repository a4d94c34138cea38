/** Where files are uploaded: by POST as a whole, or resumably by the protocol tus, which begins an upload there. */
export const uploadsPath = '/uploads';
/** The folder of the uploads that were begun. */
export const begunUploadsPath = `${uploadsPath}/`;

/** Methods of both, by the path. */
export const uploadMethods = {
  [uploadsPath]: ['OPTIONS', 'POST'],
  [begunUploadsPath]: ['HEAD', 'OPTIONS', 'PATCH', 'DELETE'],
} as const satisfies Record<string, readonly string[]>;
