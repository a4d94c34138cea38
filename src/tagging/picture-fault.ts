import { AppError } from '../lib/errors.ts';
import type { ElementError, ElementErrorCode, ErrorCode } from '../lib/errors.ts';

/** Maps failures of the source to error codes of the request; every other failure concerns the picture itself. */
const codes: Readonly<Partial<Record<ElementErrorCode, ErrorCode>>> = {
  too_large: 'too_large',
  unsupported_media: 'unsupported_media',
};

/** Returns the error for the picture of a request, which came from a URL or in the request itself. */
export function pictureFault({ code, message }: ElementError, url: string | null): AppError {
  const known = codes[code];
  const text = message.replace(/^(?:src|the source)\b/, url === null ? 'image' : 'image_url');
  if (known !== undefined) return new AppError(known, text);
  return unreadablePicture(code, text, url === null ? 'image' : 'imageUrl', url);
}

/** Returns the error for a picture that cannot be fetched or read. @param argument its name in the schema. */
export function unreadablePicture(type: string, message: string, argument: string, input: string | null): AppError {
  return new AppError('invalid_image', message, {
    type,
    argument,
    input: input && input.slice(0, 2000),
  });
}
