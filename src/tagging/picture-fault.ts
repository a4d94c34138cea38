import { AppError } from '../lib/errors.ts';
import type { ElementError, ElementErrorCode, ErrorCode } from '../lib/errors.ts';

/** Error codes of a request for failures of its source; every other failure is about the picture itself. */
const codes: Readonly<Partial<Record<ElementErrorCode, ErrorCode>>> = {
  too_large: 'too_large',
  unsupported_media: 'unsupported_media',
};

/** The error for the picture of a request, which came from an address or in the request. */
export function pictureFault({ code, message }: ElementError, url: string | null): AppError {
  const known = codes[code];
  const text = message.replace(/^(?:src|the source)\b/, url === null ? 'image' : 'image_url');
  if (known !== undefined) return new AppError(known, text);
  return unreadablePicture(code, text, url === null ? 'image' : 'imageUrl', url);
}

/** A picture that cannot be fetched or read. @param argument as the schema names it. */
export function unreadablePicture(type: string, message: string, argument: string, input: string | null): AppError {
  return new AppError('invalid_image', message, {
    type,
    argument,
    input: input && input.slice(0, 2000),
  });
}
