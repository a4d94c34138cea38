import sharp from 'sharp';
import type { ModelPicture } from '../../src/analysis/providers/provider.ts';

/** The mean red, green and blue of a picture, for a model that is small enough to say what it must answer. */
export async function meanColorOf({ jpeg }: ModelPicture): Promise<readonly number[]> {
  const { channels } = await sharp(jpeg).stats();
  return channels.slice(0, 3).map(({ mean }) => mean);
}
