import type { Analysis, AnalysisRequest } from '../../analysis/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { pictureMs } from './limits.ts';
import type { AnalysisDeps } from './record-analyzer.ts';

type PictureRequest = AnalysisRequest & Readonly<{ signal: AbortSignal }>;

/**
 * Analyzes a picture within the time limit.
 *
 * @param what the subject of the error's message
 * @throws ElementError for a timeout; the signal's reason
 */
export async function analyzePicture(
  request: PictureRequest,
  { imageAnalyzer }: Pick<AnalysisDeps, 'imageAnalyzer'>,
  what: string,
): Promise<Analysis> {
  const timeout = AbortSignal.timeout(pictureMs);
  try {
    return await imageAnalyzer.analyze({ ...request, signal: AbortSignal.any([request.signal, timeout]) });
  } catch (error) {
    request.signal.throwIfAborted();
    if (timeout.aborted) throw new ElementError('internal', `${what} took more than ${pictureMs / 1000} s`);
    throw error;
  }
}
