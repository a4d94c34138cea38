import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openImageAnalyzer } from '../../src/analysis/index.ts';
import type { ImageAnalyzer } from '../../src/analysis/index.ts';
import { createImageAnalyzer } from '../../src/analysis/image-analyzer.ts';
import type { Analysis, AnalysisRequest, AnalyzerName, BuiltinAnalyzer } from '../../src/analysis/index.ts';
import type { Provider } from '../../src/analysis/providers/provider.ts';
import { convertImage, decodeImage } from './decode-image.ts';
import { sharedAnalyzer } from './shared-analyzer.ts';

/** What is built in and needs no model, so that it is quick. */
export const quickNames = ['shape', 'colors', 'embedded', 'pdq'] as const;

/**
 * The analyzer of the service with some of its builtin analyzers, in the processes that test files share; with the
 * providers of a configuration in processes of its own.
 */
export function analyzerOf(
  names: readonly AnalyzerName[] = quickNames,
  environment?: Record<string, string>,
): ImageAnalyzer {
  if (environment === undefined) return sharedAnalyzer(names);
  return openImageAnalyzer({ ai: readConfig(environment).ai, threads: 2, logger: createLogger('fatal'), names });
}

/** An image analyzer that does with a picture what a test says, beside the models of providers. */
export function analyzerThat(
  analyze: (request: AnalysisRequest & { bytes: Buffer }) => Promise<Pick<Analysis, 'outcomes'>>,
  versions: Readonly<Partial<Record<AnalyzerName, string>>> = { shape: '1' },
  providers: readonly Provider[] = [],
): ImageAnalyzer {
  const builtinAnalyzer: BuiltinAnalyzer = {
    analyze: async (request) => {
      if (!('bytes' in request)) throw new Error('tests analyze bytes');
      const image = await decodeImage(request.bytes);
      // To store a picture it is decoded, and nothing else.
      const { outcomes } = request.want.length === 0 ? { outcomes: {} } : await analyze(request);
      return { image, outcomes, warnings: [] };
    },
    convert: convertImage,
    close: async () => {},
  };
  return createImageAnalyzer({ builtinAnalyzer, builtin: versions, providers });
}
