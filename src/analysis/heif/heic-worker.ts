import { parentPort, workerData } from 'node:worker_threads';
import { readColorProfile } from './color-profile.ts';
import { loadLibheif } from './libheif.ts';
import type { Libheif, LibheifFault } from './libheif.ts';
import { writeTiff } from './write-tiff.ts';

/** The task of the thread: a HEIC, and the maximum number of pixels it may have. */
export type HeicTask = Readonly<{ bytes: Uint8Array; maxPixels: number }>;

/** Why a HEIC could not be decoded. */
export type HeicFault = 'too many pixels' | 'too much memory' | 'another codec' | 'cut off' | 'corrupt';

export type HeicAnswer = Readonly<{ tiff: Uint8Array<ArrayBuffer> } | { fault: HeicFault }>;

/** Decodes the primary picture of a HEIC, rotated as the file says; thumbnails and other pictures are ignored. */
async function decode(heif: Libheif, { bytes, maxPixels }: HeicTask): Promise<HeicAnswer> {
  const context = heif.heif_context_alloc();
  const read = heif.heif_context_read_from_memory(context, bytes);
  if (read.code !== heif.heif_error_code.heif_error_Ok) return { fault: faultOf(heif, read) };
  const picture = heif.heif_js_context_get_primary_image_handle(context);
  if ('code' in picture) return { fault: faultOf(heif, picture) };
  const [width, height] = [heif.heif_image_handle_get_width(picture), heif.heif_image_handle_get_height(picture)];
  if (width * height > maxPixels) return { fault: 'too many pixels' };
  const channels = heif.heif_image_handle_has_alpha_channel(picture) === 0 ? 3 : 4;
  const { heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA } = heif.heif_chroma;
  const decoded = await heif.heif_js_decode_image2(
    picture,
    heif.heif_colorspace.heif_colorspace_RGB,
    channels === 3 ? heif_chroma_interleaved_RGB : heif_chroma_interleaved_RGBA,
  );
  if (!('channels' in decoded)) return { fault: faultOf(heif, decoded) };
  const [pixels] = decoded.channels;
  if (pixels === undefined || pixels.width !== width || pixels.height !== height) return { fault: 'corrupt' };
  const { data, stride } = pixels;
  const writeRow = (y: number, target: Uint8Array) =>
    target.set(data.subarray(y * stride, y * stride + width * channels));
  return { tiff: writeTiff({ width, height, channels, profile: readColorProfile(Buffer.from(bytes)), writeRow }) };
}

function faultOf(
  { heif_error_code: codes, heif_suberror_code: details }: Libheif,
  { code, subcode }: LibheifFault,
): HeicFault {
  const { heif_error_Memory_allocation_error, heif_error_Unsupported_feature, heif_error_Unsupported_filetype } = codes;
  const isLimited = subcode === details.heif_suberror_Security_limit_exceeded;
  if (isLimited || code === heif_error_Memory_allocation_error) return 'too much memory';
  if ([heif_error_Unsupported_feature, heif_error_Unsupported_filetype].includes(code)) return 'another codec';
  return subcode === details.heif_suberror_End_of_data ? 'cut off' : 'corrupt';
}

const answer = await decode(loadLibheif(), workerData as HeicTask);
parentPort?.postMessage(answer, 'tiff' in answer ? [answer.tiff.buffer] : []);
