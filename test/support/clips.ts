import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EncodedVideoChunk, VideoColorSpace, VideoDecoder, VideoEncoder, VideoFrame } from '@napi-rs/webcodecs';
import {
  BufferTarget,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import type { MetadataTags } from 'mediabunny';

Object.assign(globalThis, { EncodedVideoChunk, VideoColorSpace, VideoDecoder, VideoEncoder, VideoFrame });

const formats = {
  mp4: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  /** Its index is at the end. */
  'mp4 with its index behind': () => new Mp4OutputFormat({ fastStart: false }),
  'mp4 in fragments': () => new Mp4OutputFormat({ fastStart: 'fragmented' }),
  mov: () => new MovOutputFormat({ fastStart: false }),
  webm: () => new WebMOutputFormat(),
  mkv: () => new MkvOutputFormat(),
} as const;

export type ClipFormat = keyof typeof formats;

export type ClipOptions = Readonly<{
  format?: ClipFormat;
  codec?: 'vp8' | 'vp9' | 'avc' | 'hevc';
  width?: number;
  height?: number;
  rotation?: 0 | 90 | 180 | 270;
  /** When each picture begins, in seconds; the last lasts as long as the one before it. */
  times?: readonly number[];
  /** Pictures at the beginning that are black. */
  black?: number;
  /** Noise makes large files. */
  noise?: boolean;
  bitrate?: number;
  /** Seconds from one key frame to the next. */
  keyFrameSecs?: number;
  /** What is shown in place of the bars, RGBA: one after the other, each as long as the others. */
  pictures?: readonly Uint8Array[];
  /** Metadata in the tags of the container. */
  tags?: MetadataTags;
}>;

/** `count` pictures at a constant rate. */
export const steady = (count: number, fps: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => i / fps);

/** A real video: bars that move, encoded and put into its container. */
export async function makeClip({
  format = 'webm',
  codec = 'vp8',
  width = 64,
  height = 48,
  rotation = 0,
  times = steady(10, 10),
  black = 0,
  noise = false,
  bitrate = 200_000,
  keyFrameSecs = 1,
  pictures = [],
  tags,
}: ClipOptions = {}): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: formats[format](), target });
  const source = new VideoSampleSource({ codec, bitrate, keyFrameInterval: keyFrameSecs });
  output.addVideoTrack(source, { rotation });
  if (tags !== undefined) output.setMetadataTags(tags);
  await output.start();
  for (const [index, timestamp] of times.entries()) {
    const next = times[index + 1] ?? 2 * timestamp - (times[index - 1] ?? 0);
    const shown = pictures[Math.floor((index * pictures.length) / times.length)];
    const pixels = shown ?? picture(width, height, index < black ? null : index, noise);
    const sample = new VideoSample(pixels, {
      format: 'RGBA',
      codedWidth: width,
      codedHeight: height,
      timestamp,
      duration: next - timestamp,
    });
    await source.add(sample);
    sample.close();
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

function picture(width: number, height: number, index: number | null, noise: boolean): Uint8Array {
  const pixels = new Uint8Array(width * height * 4).fill(0);
  for (let at = 0; at < pixels.length; at += 4) {
    const x = (at / 4) % width;
    if (index !== null) pixels.fill(noise ? Math.random() * 255 : (x + index * 4) % 32 < 16 ? 230 : 25, at, at + 3);
    pixels[at + 3] = 255;
  }
  return pixels;
}

let small: Promise<Buffer> | undefined;

/** Writes a small clip into a folder, the same one each time. */
export async function clipInto(folder: string, name: string): Promise<string> {
  writeFileSync(join(folder, name), await (small ??= makeClip()));
  return name;
}
