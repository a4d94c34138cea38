import { AppError, ElementError } from '../lib/errors.ts';
import { keepQueryImage } from '../similarity/index.ts';
import type { QueryImage } from '../similarity/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import { pictureFault } from './picture-fault.ts';

/** Maximum time for one picture. */
const pictureMs = 60_000;

/**
 * Stores a picture for a day as a query image.
 *
 * @throws AppError for a picture that cannot be read, and for a timeout.
 */
export async function uploadQueryImage(
  db: TenantDb,
  bytes: Buffer,
  imageAnalyzer: ImageAnalyzer,
  signal: AbortSignal,
): Promise<QueryImage> {
  const timeout = AbortSignal.timeout(pictureMs);
  try {
    return await keepQueryImage(db, bytes, imageAnalyzer, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (timeout.aborted) throw overtime();
    if (error instanceof ElementError) throw pictureFault(error, null);
    throw error;
  }
}

function overtime(): AppError {
  const hint = 'Try again in a moment, or send a smaller picture';
  return new AppError('timeout', `Timed out after ${pictureMs / 1000} seconds: the machine is busy`, { hint });
}
