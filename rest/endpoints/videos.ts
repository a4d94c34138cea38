import { defaultVideoFields, videoFacets, videoFields, videoSorts, videoWriteFields } from '../contract.ts';
import { recordEndpoints } from './records.ts';

export const videoEndpoints = recordEndpoints({
  path: '/vids',
  idParameter: 'video_id',
  one: 'video',
  many: 'videos',
  type: 'Video',
  scope: 'vids:write',
  readScope: 'vids:read',
  fields: videoWriteFields,
  readFields: videoFields,
  defaultFields: defaultVideoFields,
  sorts: videoSorts,
  sortDescription: 'Field to sort by; empty for the best first.',
  facets: videoFacets,
});
