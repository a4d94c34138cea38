import { AppError } from '../errors.ts';

/** @throws AppError `invalid_argument` for a page before the first, or a size out of bounds. */
export function checkPage({ page, limit }: Readonly<{ page: number; limit: number }>, maxLimit: number): void {
  if (page < 1) throw new AppError('invalid_argument', 'page must be at least 1', { argument: 'page' });
  if (limit >= 1 && limit <= maxLimit) return;
  throw new AppError('invalid_argument', `limit must be between 1 and ${maxLimit}`, { argument: 'limit' });
}
