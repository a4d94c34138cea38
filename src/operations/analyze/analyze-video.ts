import { findVideoSubjects, keepVideoAnalyses } from '../../catalog/index.ts';
import type { FrameWrite, VideoAnalysisWrite, VideoSubject } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { isSameVideo, mergeFrames } from '../../analysis/index.ts';
import type { AnalyzerName, Outcomes, ImageAnalyzer, VideoStill } from '../../analysis/index.ts';
import { analyzePicture } from './analyze-picture.ts';
import { languagesFrom, wantedOf } from './record-analyzer.ts';
import type { AnalysisDeps, RecordAnalyzer } from './record-analyzer.ts';
import { fillOf } from './fill-values.ts';
import { columnsOf, fingerprintsOf, toStored, statusOf } from './to-write.ts';

/** Analyzers that make no sense for frames: a frame has no metadata, and its shape is that of the video. */
const notOfFrames: readonly AnalyzerName[] = ['embedded', 'shape'];

/** For these, the video only keeps that they ran; their results are kept per frame. */
const ofFramesOnly: readonly AnalyzerName[] = ['faces', 'objects'];

export const videoRecordAnalyzer: RecordAnalyzer<VideoSubject, VideoAnalysisWrite> = {
  noun: 'video',
  find: findVideoSubjects,
  async analyze(tenantId, subject, force, deps, signal) {
    const { imageAnalyzer } = deps;
    const names = imageAnalyzer.names.filter((name) => !notOfFrames.includes(name));
    // The frames have to be read again in any case, so all analyzers run on them.
    if (wantedOf(subject.known, names, imageAnalyzer, force).length === 0) {
      return { write: { ...blank(subject, imageAnalyzer), status: 'ready' }, outcomes: {} };
    }
    const stills = await readStills(tenantId, subject, deps, signal);
    const frames: Readonly<{ timeSecs: number; outcomes: Outcomes }>[] = [];
    for (const { timeSecs, jpeg } of stills.toSorted((a, b) => a.timeSecs - b.timeSecs)) {
      frames.push({ timeSecs, outcomes: await analyzeFrame(tenantId, jpeg, names, subject, deps, signal) });
    }
    const { outcomes, seen } = mergeFrames(frames.map((frame) => frame.outcomes));
    const isFirst = Object.keys(subject.known).length === 0;
    const status = statusOf(outcomes);
    const write: VideoAnalysisWrite = {
      ...blank(subject, imageAnalyzer),
      status,
      reason: status !== 'failed' ? null : 'some analyzers failed for its frames: see ai.analyzers',
      facts: toStored(outcomes, ofFramesOnly),
      columns: columnsOf(seen),
      ...(isFirst && fillOf(subject, seen, 'video')),
      frames: frames.map((frame): FrameWrite => ({
        timeSecs: frame.timeSecs,
        facts: toStored(frame.outcomes),
        ...fingerprintsOf(frame.outcomes),
      })),
    };
    return { write, outcomes };
  },
  failed: (subject, imageAnalyzer, reason) => ({ ...blank(subject, imageAnalyzer), reason }),
  refused: (write, reason) => ({ ...write, ...nothing, reason }),
  modelsOf: ({ frames }) => (frames ?? []).flatMap(({ embedding }) => embedding?.model ?? []),
  keep: keepVideoAnalyses,
};

const nothing = { status: 'failed', facts: {}, columns: {}, fill: {}, provenance: {}, frames: null } as const;

function blank({ rowId, reading }: VideoSubject, { signature }: ImageAnalyzer): VideoAnalysisWrite {
  return { ...nothing, rowId, reading, signature, reason: null };
}

/** The frames of a video as it was stored. @throws ElementError if there are none, or the file has changed. */
async function readStills(
  tenantId: number,
  subject: VideoSubject,
  { openSource, readVideo, videos }: AnalysisDeps,
  signal: AbortSignal,
): Promise<readonly VideoStill[]> {
  const { source } = subject;
  if (source === null) throw new ElementError('source_missing', 'the record has no source');
  return videos.run(tenantId, async () => {
    signal.throwIfAborted();
    const opened = await openSource(source, { owner: tenantId, signal });
    try {
      const { facts, stills, fault } = await readVideo(opened, { wants: 'frames', signal });
      if (!isSameVideo(subject, facts, opened.size)) {
        throw new ElementError('source_unreachable', 'the file at the source has changed since it was stored');
      }
      if (fault !== null) throw new ElementError('decode_failed', fault);
      return stills;
    } finally {
      await opened.close();
    }
  });
}

async function analyzeFrame(
  tenantId: number,
  jpeg: Uint8Array,
  want: readonly AnalyzerName[],
  { lang, context }: VideoSubject,
  deps: AnalysisDeps,
  signal: AbortSignal,
): Promise<Outcomes> {
  const request = { bytes: Buffer.from(jpeg), want, owner: tenantId, langs: languagesFrom(lang), context, signal };
  return (await analyzePicture(request, deps, 'a frame')).outcomes;
}
