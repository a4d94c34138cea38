import { defaultVideoFields, videoFields, videoSorts, videoWriteFields } from '../contract.ts';
import type { Endpoint } from '../endpoint.ts';
import { fields, limit, page, pathId, search, sortBy, sortOrder } from './parameters.ts';
import { batchWrites, singleWrites } from './writes.ts';
import type { WrittenResource } from './writes.ts';

const written: WrittenResource = {
  path: '/vids',
  idParameter: 'video_id',
  one: 'video',
  many: 'videos',
  scope: 'vids:write',
  fields: videoWriteFields,
};

export const videoEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/vids/{video_id}',
    summary: 'One video',
    scope: 'vids:read',
    parameters: [pathId('video_id', 'Identifier of the video.'), fields(videoFields, defaultVideoFields)],
    defaultFields: defaultVideoFields,
  },
  ...singleWrites(written),
  {
    method: 'GET',
    path: '/vids',
    summary: 'Search videos',
    scope: 'vids:read',
    parameters: [
      search('Formula; empty for every video.'),
      page,
      limit(10_000),
      sortBy(videoSorts, 'Field to sort by; empty for the best first.'),
      sortOrder,
      fields(videoFields, defaultVideoFields),
    ],
    defaultFields: defaultVideoFields,
  },
  ...batchWrites(written),
];
