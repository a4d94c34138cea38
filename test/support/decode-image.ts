import { convertPicture } from '../../src/analysis/convert.ts';
import { decodeRaster } from '../../src/analysis/decode.ts';
import type { ImageFacts, BuiltinAnalyzer } from '../../src/analysis/index.ts';

/** Facts of a stored picture, decoded here instead of in the analysis process. */
export async function decodeImage(bytes: Buffer): Promise<ImageFacts> {
  return (await decodeRaster(bytes, 512)).facts;
}

/** Makes another file of a picture here and not in a process of its own. */
export const convertImage: BuiltinAnalyzer['convert'] = async (request) => {
  if (!('bytes' in request)) throw new Error('tests convert bytes');
  return convertPicture(request.bytes, request.conversion);
};
