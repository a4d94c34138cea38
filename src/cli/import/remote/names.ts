/** The kinds of catalogs that can be imported. */
export const remoteNames = ['immich', 'photoprism', 'directus', 'resourcespace'] as const;
export type RemoteName = (typeof remoteNames)[number];
