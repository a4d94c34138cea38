import { EncodedPacketSink } from 'mediabunny';
import type { Input, InputVideoTrack } from 'mediabunny';
import { ElementError } from '../../lib/errors.ts';
import { codecName, containers, indexed } from './containers.ts';
import type { VideoFacts } from './messages.ts';

/**
 * Number of packets whose times determine the frame rate. Without an index, each costs the data of its neighbors, so fewer
 * are read; if the rate varies, more packets of an index are read.
 */
const packets = { indexed: 256, scanned: 96, varying: 20_000 } as const;

/** How much may be missing at the end of a video before it counts as truncated: a share of its length, plus seconds. */
const missing = { share: 0.2, secs: 0.1 } as const;

/**
 * Reads the container's facts, from its beginning and, if that costs nothing, from its end.
 *
 * @throws ElementError `unsupported_media` or `decode_failed`.
 */
export async function readVideoFacts(input: Input, { isSeekable }: { isSeekable: boolean }): Promise<VideoFacts> {
  const container = await containerOf(input);
  const tracks = await input.getTracks();
  if (tracks.length === 0)
    throw broken('it has no tracks that can be read: the file is cut off or damaged, or its codec is not known');
  const video = await input.getPrimaryVideoTrack();
  if (video === null) throw new ElementError('unsupported_media', 'the source has sound but no video');
  const audio = await input.getPrimaryAudioTrack();
  const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()].map(Math.round);
  if (width === undefined || height === undefined || !isSize(width) || !isSize(height)) throw broken('it has no size');
  const durationSecs = await durationOf(input, video, isSeekable);
  return {
    container,
    codecVideo: codecName(await video.getCodec(), await video.getInternalCodecId(), 'video'),
    codecAudio: audio && codecName(await audio.getCodec(), await audio.getInternalCodecId(), 'audio'),
    width,
    height,
    fps: await rateOf(video, indexed.includes(container), durationSecs),
    durationSecs: Math.round(durationSecs * 1000) / 1000,
  };
}

async function containerOf(input: Input): Promise<string> {
  // The library reports this for unknown formats, and fails on files of a few bytes.
  const format = await input.getFormat().catch(() => {
    throw new ElementError('unsupported_media', 'the source is not MP4, QuickTime, WebM, Matroska or MPEG-TS');
  });
  const found = Object.entries(containers).find(([, known]) => known === format);
  if (found === undefined) throw new ElementError('unsupported_media', `${format.name} is not supported`);
  return found[0];
}

const isSize = (pixels: number) => pixels >= 1 && pixels <= 65_535;
const isLength = (secs: number | null): secs is number => secs !== null && secs > 0 && secs < 1e8;

/** The length that the container states; that of its packets if it states none. */
async function durationOf(input: Input, video: InputVideoTrack, isSeekable: boolean): Promise<number> {
  const stated = await input.getDurationFromMetadata();
  const computed = isLength(stated) && !isSeekable ? stated : await input.computeDuration();
  const duration = isLength(stated) ? stated : computed;
  if (!isLength(duration)) throw broken('it has no frames');
  if (isSeekable) await checkEnd(video, { duration, computed });
  return duration;
}

/** @throws ElementError if the last frames are missing. */
async function checkEnd(video: InputVideoTrack, lengths: { duration: number; computed: number }): Promise<void> {
  const last = await new EncodedPacketSink(video).getPacket(Infinity);
  const least = lengths.duration * (1 - missing.share) - missing.secs;
  if (last === null || lengths.computed < least) throw broken('the file is cut off');
}

/**
 * The frame rate if it is constant, otherwise the average over the frames that were read. Rounded to thousandths:
 * 30000/1001 is 29.97.
 */
async function rateOf(video: InputVideoTrack, isIndexed: boolean, durationSecs: number): Promise<number | null> {
  const targetPacketCount = isIndexed ? packets.indexed : packets.scanned;
  const metrics = await video.computeFrameRateMetrics({ targetPacketCount });
  const { underlyingFrameRate, frameRateIsConstant, averageFrameRate, probedPacketCount } = metrics;
  let rate = averageFrameRate;
  if (frameRateIsConstant && underlyingFrameRate !== null) rate = underlyingFrameRate;
  else if (probedPacketCount < targetPacketCount) rate = probedPacketCount / durationSecs;
  else if (isIndexed) rate = (await video.computePacketStats(packets.varying)).averagePacketRate;
  return Number.isFinite(rate) && rate > 0 ? Math.round(rate * 1000) / 1000 : null;
}

/** The error for a supported container that is incomplete. */
export function broken(reason: string): ElementError {
  return new ElementError('decode_failed', `the video is broken: ${reason}`);
}
