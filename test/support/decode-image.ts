import { decodeRaster } from '../../src/vision/decode.ts';
import type { ImageFacts } from '../../src/vision/index.ts';

/** What is known of a picture that is stored, decoded here and not in the process that looks at pictures. */
export async function decodeImage(bytes: Buffer): Promise<ImageFacts> {
  return (await decodeRaster(bytes, 512)).facts;
}
