import {
  additiveVideoFields,
  defaultVideoFields,
  videoFacets,
  videoFields,
  videoSorts,
  videoWriteFields,
} from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import { refuse } from '../request/refuse.ts';
import { pathId } from './parameters.ts';
import { videoKind } from './record-kinds.ts';
import { recordEndpoints } from './records.ts';

/** Additive: the first good frame of a video, if one could be decoded. */
const poster: Endpoint = {
  method: 'GET',
  path: '/vids/{video_id}/poster',
  summary: 'The poster of one video',
  scope: 'vids:read',
  document: 'get-video-poster',
  answers: [
    {
      status: 200,
      description: 'The first good frame as JPEG.',
      schema: () => ({ type: 'string', format: 'binary' }),
      contentType: 'image/jpeg',
    },
  ],
  parameters: [pathId('video_id', 'Identifier of the video.', 'id', videoKind.exampleId)],
  variables: ({ values }) => ({ id: values['video_id'] }),
  reply: (data) => {
    const found = data['videoPoster'] as { contentType: string; base64: string } | null;
    if (found === null) throw refuse(404, 'Poster not found');
    return { status: 200, bytes: { type: found.contentType, content: Buffer.from(found.base64, 'base64') } };
  },
};

const records = recordEndpoints({
  ...videoKind,
  comparesPictures: false,
  fields: videoWriteFields,
  readFields: videoFields,
  additiveFields: additiveVideoFields,
  defaultFields: defaultVideoFields,
  sorts: videoSorts,
  sortDescription: 'Field to sort by; empty for the best matches first.',
  facets: videoFacets,
});

export const videoEndpoints: readonly Endpoint[] = [...records, poster];
