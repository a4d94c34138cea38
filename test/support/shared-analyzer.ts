import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { analyzers } from '../../src/analysis/analyzers.ts';
import { createImageAnalyzer } from '../../src/analysis/image-analyzer.ts';
import { openBuiltinAnalyzer } from '../../src/analysis/index.ts';
import type {
  Analysis,
  AnalysisRequest,
  AnalyzerName,
  BuiltinAnalyzer,
  ImageAnalyzer,
} from '../../src/analysis/index.ts';
import { tenantsOfProcess } from '../../src/lib/active-tenants.ts';
import { createLogger } from '../../src/observability/logger.ts';

let shared: BuiltinAnalyzer | null = null;

/** What was found in which pictures; many tests analyze the same few. */
const known = new Map<string, Analysis>();
const mostKnown = 500;

/** The analyzer of this process; a new one after `endSharedAnalyzer`, for whoever still holds it. */
function current(): BuiltinAnalyzer {
  shared ??= openBuiltinAnalyzer({ threads: 2, logger: createLogger('fatal'), activeTenants: tenantsOfProcess });
  return shared;
}

/** Analyzes a picture, once for each set of analyzers with the same languages and context. Failures are not kept. */
async function analyze(request: AnalysisRequest): Promise<Analysis> {
  const { want, langs = [], context = {}, signal } = request;
  signal?.throwIfAborted();
  const bytes = 'bytes' in request ? request.bytes : await readFile(request.path, { signal });
  const key = createHash('sha256')
    .update(JSON.stringify([[...want].toSorted(), langs, context]))
    .update(bytes)
    .digest('base64');
  const found = known.get(key) ?? (await current().analyze(request));
  const isWhole = Object.values(found.outcomes).every(({ error }) => error === undefined);
  if (isWhole && known.size < mostKnown) known.set(key, found);
  return found;
}

const builtinAnalyzer: BuiltinAnalyzer = {
  analyze,
  convert: (request) => current().convert(request),
  close: async () => {},
};

/**
 * The image analyzer of all test files of this process: each analysis process of its own would load sharp and the models
 * again. To close it leaves its processes to the next file, with what they found; they end after half a minute without work.
 */
export function sharedAnalyzer(names?: readonly AnalyzerName[]): ImageAnalyzer {
  const rows = Object.entries(analyzers).filter(([name]) => names?.includes(name as AnalyzerName) ?? true);
  const builtin = Object.fromEntries(rows.map(([name, { version }]) => [name, version]));
  return createImageAnalyzer({ builtinAnalyzer, builtin, providers: [] });
}

/** Ends the processes of that analyzer and forgets what they found, for tests that count processes. */
export async function endSharedAnalyzer(): Promise<void> {
  await shared?.close();
  shared = null;
  known.clear();
}
