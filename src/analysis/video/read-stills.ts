import type { VideoSample } from 'mediabunny';
import sharp from 'sharp';
import { uprightPicture } from './find-frames.ts';
import type { FrameFinder } from './find-frames.ts';
import { none, posterSide } from './messages.ts';
import type { VideoFacts, VideoStill, VideoStills } from './messages.ts';

/** Long side of a still, and the quality of its JPEG. */
const large = { side: 1024, quality: 85 } as const;
/** The same for the poster, which is stored with the record. */
const small = { side: posterSide, quality: 75 } as const;
/** Positions of the frames after the poster, as fractions of the length. */
const places = [0.2, 0.4, 0.6, 0.8] as const;
/** Times in seconds at which the poster is searched, until a frame is good. */
const posterSecs = [0, 0.5, 1, 2, 4, 8, 16] as const;
/** Below this spread of gray levels (0–127) a frame is black, white or another single color. */
const leastSpread = 6;

type Candidate = Readonly<{ still: VideoStill; spread: number }>;

/** Reads the first good frame, and a few across the length if wanted. */
export async function readStills(
  frames: FrameFinder,
  { width, height, durationSecs }: VideoFacts,
  wants: 'poster' | 'frames',
): Promise<VideoStills> {
  const seen = new Map<number, Candidate>();

  const at = (secs: number) =>
    frames.use(secs, async (sample): Promise<Candidate> => {
      const known = seen.get(sample.timestamp);
      if (known !== undefined) return known;
      const taken = await toStill(sample, { width, height });
      seen.set(sample.timestamp, taken);
      return taken;
    });

  let poster: Candidate | null = null;
  for (const secs of posterSecs.filter((secs) => secs === 0 || secs < durationSecs)) {
    const candidate = await at(secs);
    if (candidate !== null && (poster === null || candidate.spread > poster.spread)) poster = candidate;
    if (poster !== null && poster.spread >= leastSpread) break;
  }
  if (poster === null) return none('none of its frames could be decoded');
  const others: Candidate[] = [];
  for (const place of wants === 'frames' ? places : []) {
    const candidate = await at(place * durationSecs).catch(() => null);
    if (candidate !== null && candidate !== poster && !others.includes(candidate)) others.push(candidate);
  }
  const stills = [poster, ...others].map(({ still }) => still);
  return { stills, poster: await toPoster(poster.still), filmstrip: null, fault: null };
}

async function toStill(sample: VideoSample, shown: { width: number; height: number }): Promise<Candidate> {
  const scale = Math.min(1, large.side / Math.max(shown.width, shown.height));
  const [width, height] = [shown.width, shown.height].map((side) => Math.max(1, Math.round(side * scale)));
  const picture = (await uprightPicture(sample)).resize(width, height, { fit: 'fill' });
  const [jpeg, { channels }] = await Promise.all([
    picture.clone().jpeg({ quality: large.quality }).toBuffer(),
    sharp(await picture.clone().greyscale().png().toBuffer()).stats(),
  ]);
  const spread = channels[0]?.stdev ?? 0;
  const timeSecs = Math.round(sample.timestamp * 1000) / 1000;
  return { still: { timeSecs, width: width ?? 1, height: height ?? 1, jpeg }, spread };
}

async function toPoster({ timeSecs, jpeg: bytes }: VideoStill): Promise<VideoStill> {
  const { data: jpeg, info } = await sharp(bytes)
    .resize(small.side, small.side, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: small.quality })
    .toBuffer({ resolveWithObject: true });
  return { timeSecs, width: info.width, height: info.height, jpeg };
}
