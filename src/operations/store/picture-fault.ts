import { AppError } from '../../errors.ts';
import type { ElementError, ElementErrorCode, ErrorCode } from '../../errors.ts';

/** What the failure of a source means to a request; every other one is about the picture itself. */
const codes: Readonly<Partial<Record<ElementErrorCode, ErrorCode>>> = {
  too_large: 'too_large',
  unsupported_media: 'unsupported_media',
};

/** What is wrong with the picture of a request, which came from an address or else with it. */
export function pictureFault({ code, message }: ElementError, url: string | null): AppError {
  const known = codes[code];
  const text = message.replace(/^(?:src|the source)\b/, url === null ? 'image' : 'image_url');
  if (known !== undefined) return new AppError(known, text);
  return unreadablePicture(code, text, url === null ? 'image' : 'imageUrl', url);
}

/** A picture that cannot be had or read. @param argument as the schema names it. */
export function unreadablePicture(type: string, message: string, argument: string, input: string | null): AppError {
  return new AppError('invalid_image', message, {
    type,
    argument,
    input: input && input.slice(0, 2000),
  });
}
