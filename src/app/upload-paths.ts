/** Where files are uploaded: by POST as a whole, or resumably by the protocol tus. */
export const uploadsPath = '/uploads/';
export const uploadMethods: readonly string[] = ['HEAD', 'OPTIONS', 'POST', 'PATCH', 'DELETE'];
