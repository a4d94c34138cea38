import sharp from 'sharp';
import { encodePreview } from '../preview-formats.ts';
import { uprightPicture } from './find-frames.ts';
import type { FrameFinder } from './find-frames.ts';
import { none, filmstripFrames } from './messages.ts';
import type { Filmstrip, VideoFacts, VideoStills } from './messages.ts';

type Frame = Readonly<{ timestamp: number; pixels: Buffer }>;

/**
 * Draws frames at equal intervals in one picture, the first on the left. One that cannot be decoded looks like the one
 * before.
 */
export async function readFilmstrip(
  frames: FrameFinder,
  { durationSecs }: VideoFacts,
  { width, height, format }: Filmstrip,
): Promise<VideoStills> {
  const found: Frame[] = [];
  const times = Array.from({ length: filmstripFrames }, (_, index) => ((index + 0.5) / filmstripFrames) * durationSecs);
  for (const secs of times) {
    const last = found.at(-1);
    const frame = await frames
      .use(secs, async (sample): Promise<Frame> => {
        if (sample.timestamp === last?.timestamp) return last;
        const picture = (await uprightPicture(sample)).resize(width, height, { fit: 'fill' });
        return { timestamp: sample.timestamp, pixels: await picture.raw().toBuffer() };
      })
      .catch(() => null);
    const shown = frame ?? last;
    if (shown !== undefined) found.push(shown);
  }
  const [first] = found;
  if (first === undefined) return none('none of its frames could be decoded');
  // Replaces frames at the beginning that could not be decoded.
  while (found.length < filmstripFrames) found.unshift(first);
  const raw = { width, height, channels: 3 as const };
  const filmstrip = sharp({
    create: { width: width * filmstripFrames, height, channels: 3, background: 'black' },
  }).composite(found.map(({ pixels }, index) => ({ input: pixels, raw, left: index * width, top: 0 })));
  return { stills: [], poster: null, filmstrip: await encodePreview(filmstrip, format).toBuffer(), fault: null };
}
