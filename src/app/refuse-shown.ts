import { AppError, ElementError } from '../lib/errors.ts';
import { ReplyError } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';

/** The reply to every invalid address, which discloses nothing else. */
export const forbiddenReply: Reply = { status: 403, body: { detail: 'Forbidden' } };

/** The reply if the record no longer exists. */
export const gone: Reply = { status: 404, body: { detail: 'This record no longer exists', code: 'not_found' } };

const soon = { 'Retry-After': '5' };

/** Explains why a preview cannot be created or a file cannot be sent. @throws ReplyError */
export function refuseShown(error: unknown): never {
  if (error instanceof ElementError) {
    throw new ReplyError({ status: 404, body: { detail: error.message, code: error.code } });
  }
  if (error instanceof AppError) {
    const { message, code } = error;
    throw new ReplyError({
      status: code === 'unavailable' ? 503 : 429,
      body: { detail: message, code },
      headers: soon,
    });
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const detail = 'The preview was not made within 60 seconds';
    throw new ReplyError({ status: 503, body: { detail, code: 'timeout' }, headers: soon });
  }
  throw error;
}
