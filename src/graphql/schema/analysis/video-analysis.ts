import { findVideoAnalysis } from '../../../catalog/index.ts';
import type { StoredFrame, StoredVideoAnalysis } from '../../../catalog/index.ts';
import { shownValues } from '../../../analysis/analyzers.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { ImageAnalysis, ProvenanceObject, provenanceOf, resultOf, analysisFields } from './image-analysis.ts';
import { Video } from '../records/video.ts';

const VideoFrame = builder.objectRef<StoredFrame>('VideoFrame').implement({
  description: 'An analyzed frame of a video.',
  fields: (t) => ({
    timeSecs: t.exposeFloat('timeSecs', { description: 'Its time in the video, in seconds.' }),
    ai: t.field({ type: ImageAnalysis, description: 'Results of its analysis.', resolve: (frame) => frame }),
  }),
});

const shownOfVideos = shownValues.flatMap((each) =>
  each.ofVideo === undefined ? [] : [{ ...each, description: each.ofVideo }],
);

export const VideoAnalysis = builder.objectRef<StoredVideoAnalysis>('VideoAnalysis').implement({
  description:
    'Results of the analysis of the frames of a video. A value is null if its analyzer did not succeed on all frames, and empty if it found nothing.',
  fields: (t) => ({
    analyzedAt: t.expose('analyzedAt', { type: 'DateTime', description: 'When it was last analyzed.' }),
    text: t.string({
      nullable: true,
      description: 'Text of all frames (OCR), each line once.',
      resolve: (analysis) => resultOf(analysis, 'ocr')?.text ?? null,
    }),
    ...analysisFields(t, shownOfVideos),
    frames: t.field({
      type: [VideoFrame],
      description: 'The analyzed frames, in order of time.',
      resolve: ({ frames }) => frames.slice(),
    }),
  }),
});

builder.objectFields(Video, (t) => ({
  ai: t.field({
    type: VideoAnalysis,
    nullable: true,
    description: 'Results of the analysis of its frames; null before it.',
    resolve: ({ rowId }, _args, context) =>
      rowId === undefined ? null : findVideoAnalysis(tenantOf(context), Number(rowId)),
  }),
  provenance: t.field({
    type: [ProvenanceObject],
    description: 'Sources of the values that the caller did not send.',
    resolve: ({ provenance }) => provenanceOf(provenance),
  }),
}));
