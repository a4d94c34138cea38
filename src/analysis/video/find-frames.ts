import { EncodedPacketSink, VideoSampleSink } from 'mediabunny';
import type { InputVideoTrack, VideoSample } from 'mediabunny';
import sharp from 'sharp';
import type { Sharp } from 'sharp';

/** A frame more than this long after its key frame is replaced by the key frame: decoding it would cost too much. */
const nearSecs = 3;
/** Largest frames that are decoded. */
const maxPixels = 100_000_000;

/** Finds frames of a video. */
export type FrameFinder = Readonly<{
  /** Calls `work` with the frame shown at a time, or the key frame before it; null if there is none. */
  use<T>(secs: number, work: (sample: VideoSample) => Promise<T>): Promise<T | null>;
}>;

/** Opens the frames of a video, or returns why none can be decoded. */
export async function openFrames(video: InputVideoTrack, codec: string | null): Promise<FrameFinder | string> {
  if (!(await video.canDecode())) return `there is no decoder for ${codec ?? 'this codec'}`;
  if ((await video.getCodedWidth()) * (await video.getCodedHeight()) > maxPixels) {
    return `its frames have more than ${maxPixels / 1e6} megapixels`;
  }
  const samples = new VideoSampleSink(video);
  const packets = new EncodedPacketSink(video);
  const first = Math.max(0, await video.getFirstTimestamp());
  return {
    async use(secs, work) {
      const key = await packets.getKeyPacket(first + secs, { metadataOnly: true });
      const time = key === null || first + secs - key.timestamp <= nearSecs ? first + secs : key.timestamp;
      const sample = await samples.getSample(time);
      if (sample === null) return null;
      try {
        return await work(sample);
      } finally {
        sample.close();
      }
    },
  };
}

/** Converts a frame to an upright picture without scaling it. */
export async function uprightPicture(sample: VideoSample): Promise<Sharp> {
  const { codedWidth, codedHeight, rotation } = sample;
  const pixels = new Uint8Array(sample.allocationSize({ format: 'RGBA' }));
  await sample.copyTo(pixels, { format: 'RGBA' });
  const raw = { width: codedWidth, height: codedHeight, channels: 4 as const };
  const { data, info } = await sharp(pixels, { raw })
    .removeAlpha()
    .rotate(rotation)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: info });
}
