/** Path for uploads: by POST as a whole, or resumably by the tus protocol, which creates an upload here. */
export const uploadsPath = '/uploads';
/** Prefix of the paths of uploads that were started. */
export const begunUploadsPath = `${uploadsPath}/`;

/** Methods of both paths. */
export const uploadMethods = {
  [uploadsPath]: ['OPTIONS', 'POST'],
  [begunUploadsPath]: ['HEAD', 'OPTIONS', 'PATCH', 'DELETE'],
} as const satisfies Record<string, readonly string[]>;
