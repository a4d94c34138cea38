import { setTimeout as sleep } from 'node:timers/promises';
import { EncodedPacketSink, VideoSample } from 'mediabunny';
import type { EncodedPacket, InputVideoTrack } from 'mediabunny';
import sharp from 'sharp';
import type { Sharp } from 'sharp';

/** A frame more than this long after its key frame is replaced by the key frame: decoding it would cost too much. */
const nearSecs = 3;
/** Maximum number of pixels of a frame that is decoded. */
const maxPixels = 100_000_000;
/**
 * Maximum number of packets waiting for the decoder, which would decode all that it has before returning the first
 * frame.
 */
const mostQueued = 2;

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
  const packets = new EncodedPacketSink(video);
  const first = Math.max(0, await video.getFirstTimestamp());
  return {
    async use(secs, work) {
      const key = await packets.getKeyPacket(first + secs, { verifyKeyPackets: true });
      if (key === null) return null;
      const isNear = first + secs - key.timestamp <= nearSecs;
      const last = isNear ? await packets.getPacket(first + secs, { metadataOnly: true }) : key;
      const sample = await decodeUpTo(video, packets, key, last ?? key);
      if (sample === null) return null;
      try {
        return await work(sample);
      } finally {
        sample.close();
      }
    },
  };
}

/**
 * Decodes from a key frame to a packet, and returns the frame of that packet; null if there is none. Frames come in
 * display order, but the decoder labels them with the packets' times in decoding order. So a frame is found by its
 * position: the last packet's frame comes after that packet was sent, before any frame that is shown later.
 *
 * @throws the error of the decoder
 */
async function decodeUpTo(
  video: InputVideoTrack,
  packets: EncodedPacketSink,
  key: EncodedPacket,
  last: EncodedPacket,
): Promise<VideoSample | null> {
  const config = await video.getDecoderConfig();
  if (config === null) return null;
  const frames: VideoFrame[] = [];
  let [isSent, shownLater] = [false, 0];
  let fault: Error | null = null;
  const decoder = new VideoDecoder({
    output: (frame) => (isSent ? void frames.push(frame) : frame.close()),
    error: (error) => (fault = error),
  });
  try {
    decoder.configure(config);
    for (let packet: EncodedPacket | null = key; packet !== null && !isSent;) {
      while (fault === null && decoder.decodeQueueSize >= mostQueued) await sleep(1);
      isSent = packet.sequenceNumber >= last.sequenceNumber;
      decoder.decode(packet.toEncodedVideoChunk());
      if (packet.timestamp > last.timestamp) shownLater += 1;
      if (!isSent) packet = await packets.getNextPacket(packet);
    }
    await decoder.flush();
  } catch (error) {
    for (const frame of frames) frame.close();
    throw fault ?? error;
  } finally {
    if (decoder.state !== 'closed') decoder.close();
  }
  const found = frames.at(-1 - shownLater) ?? frames[0] ?? null;
  for (const frame of frames) if (frame !== found) frame.close();
  return found && new VideoSample(found, { timestamp: last.timestamp, rotation: await video.getRotation() });
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
