import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { openSight } from '../../src/operations/index.ts';
import type { Sight } from '../../src/operations/index.ts';
import { createSight } from '../../src/vision/sight.ts';
import type { Analysis, AnalysisRequest, AnalyzerName, Vision } from '../../src/vision/index.ts';
import { convertImage, decodeImage } from './decode-image.ts';

/** What is built in and needs no model, so that it is quick. */
export const quickNames = ['shape', 'colours', 'embedded', 'pdq', 'concepts', 'caption'] as const;

/** The service's own eyes, with some of the analysers and the providers of a configuration. */
export function sightOf(names: readonly AnalyzerName[] = quickNames, environment: Record<string, string> = {}): Sight {
  return openSight({ ai: readConfig(environment).ai, threads: 2, logger: createLogger('fatal'), names });
}

/** Eyes that do with a picture what a test says. */
export function sightThat(
  analyse: (request: AnalysisRequest & { bytes: Buffer }) => Promise<Pick<Analysis, 'outcomes'>>,
  versions: Readonly<Partial<Record<AnalyzerName, string>>> = { shape: '1' },
): Sight {
  const vision: Vision = {
    analyse: async (request) => {
      if (!('bytes' in request)) throw new Error('tests look at bytes');
      const image = await decodeImage(request.bytes);
      // To store a picture it is decoded, and nothing else.
      const { outcomes } = request.want.length === 0 ? { outcomes: {} } : await analyse(request);
      return { image, outcomes, warnings: [] };
    },
    convert: convertImage,
    close: async () => {},
  };
  return createSight({ vision, builtin: versions, providers: [] });
}
