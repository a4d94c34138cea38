import { findVideoSubjects, keepVideoAnalyses } from '../../catalog/index.ts';
import type { FrameWrite, VideoAnalysisWrite, VideoSubject } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { isSameVideo, mergeFrames } from '../../analysis/index.ts';
import type { AnalyzerName, Facts, Outcomes, ImageAnalyzer, VideoReading } from '../../analysis/index.ts';
import { analyzePicture } from './analyze-picture.ts';
import { languagesFrom, wantedOf } from './record-analyzer.ts';
import type { AnalysisDeps, RecordAnalysis, RecordAnalyzer } from './record-analyzer.ts';
import { fillOf } from './fill-values.ts';
import { columnsOf, fingerprintsOf, toStored, statusOf } from './to-write.ts';

/** A video's shape is a field of it. */
const notOfVideos: readonly AnalyzerName[] = ['shape'];
/** Analyzers that read the file instead of its frames. */
const ofFile: readonly AnalyzerName[] = ['embedded'];

/** For these, the video only keeps that they ran; their results are kept per frame. */
const ofFramesOnly: readonly AnalyzerName[] = ['faces', 'objects'];

export const videoRecordAnalyzer: RecordAnalyzer<VideoSubject, VideoAnalysisWrite> = {
  noun: 'video',
  find: findVideoSubjects,
  async analyze(tenantId, subject, force, deps, signal) {
    const { imageAnalyzer } = deps;
    const names = imageAnalyzer.names.filter((name) => !notOfVideos.includes(name));
    // The frames have to be read again in any case, so all analyzers run on them.
    if (wantedOf(subject.known, names, imageAnalyzer, force).length === 0) {
      return { write: { ...blank(subject, imageAnalyzer), status: 'ready' }, outcomes: {} };
    }
    const { stills, fault, metadata } = await readSource(tenantId, subject, deps, signal);
    const embedded = metadataOutcome(metadata, imageAnalyzer);
    if (fault !== null) return withoutFrames(subject, embedded, fault, imageAnalyzer);
    const ofFrames = names.filter((name) => !ofFile.includes(name));
    const frames: Readonly<{ timeSecs: number; outcomes: Outcomes }>[] = [];
    for (const { timeSecs, jpeg } of stills.toSorted((a, b) => a.timeSecs - b.timeSecs)) {
      frames.push({ timeSecs, outcomes: await analyzeFrame(tenantId, jpeg, ofFrames, subject, deps, signal) });
    }
    const merged = mergeFrames(frames.map((frame) => frame.outcomes));
    const outcomes = { ...merged.outcomes, ...embedded };
    const status = statusOf(outcomes);
    const write: VideoAnalysisWrite = {
      ...blank(subject, imageAnalyzer),
      status,
      reason: status !== 'failed' ? null : 'some analyzers failed for its frames: see ai.analyzers',
      facts: toStored(outcomes, ofFramesOnly),
      columns: columnsOf(merged.seen),
      ...fillOfVideo(subject, { ...merged.seen, ...embedded }),
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

/** The metadata of the file as the outcome of the analyzer that reads it from pictures; nothing if that is switched off. */
function metadataOutcome(result: Facts['embedded'], { origins }: ImageAnalyzer): Pick<Outcomes, 'embedded'> {
  return origins.embedded === undefined ? {} : { embedded: { ...origins.embedded, milliseconds: 0, result } };
}

/** Only what the file says. Nothing counts as analyzed, so that another analysis begins anew. */
function withoutFrames(
  subject: VideoSubject,
  embedded: Pick<Outcomes, 'embedded'>,
  fault: string,
  imageAnalyzer: ImageAnalyzer,
): RecordAnalysis<VideoAnalysisWrite> {
  const write = { ...blank(subject, imageAnalyzer), reason: fault, ...fillOfVideo(subject, embedded) };
  return { write, outcomes: {}, error: new ElementError('decode_failed', fault) };
}

/** Values for empty fields, at the first analysis; those of the file also if earlier analyses did not read them. */
function fillOfVideo(subject: VideoSubject, outcomes: Outcomes): Partial<ReturnType<typeof fillOf>> {
  if (Object.keys(subject.known).length === 0) return fillOf(subject, outcomes, 'video');
  const { embedded } = outcomes;
  return embedded === undefined || 'embedded' in subject.known ? {} : fillOf(subject, { embedded }, 'video');
}

/** Reads a video as it was stored. @throws ElementError if the file has changed. */
async function readSource(
  tenantId: number,
  subject: VideoSubject,
  { openSource, readVideo, videos }: AnalysisDeps,
  signal: AbortSignal,
): Promise<VideoReading> {
  const { source } = subject;
  if (source === null) throw new ElementError('source_missing', 'the record has no source');
  return videos.run(tenantId, async () => {
    signal.throwIfAborted();
    const opened = await openSource(source, { owner: tenantId, signal });
    try {
      const reading = await readVideo(opened, { wants: 'frames', lang: subject.lang, signal });
      if (!isSameVideo(subject, reading.facts, opened.size)) {
        throw new ElementError('source_unreachable', 'the file at the source has changed since it was stored');
      }
      return reading;
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
