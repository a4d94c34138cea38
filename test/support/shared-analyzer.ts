import { analyzers } from '../../src/analysis/analyzers.ts';
import { createImageAnalyzer } from '../../src/analysis/image-analyzer.ts';
import { openBuiltinAnalyzer } from '../../src/analysis/index.ts';
import type { AnalyzerName, BuiltinAnalyzer, ImageAnalyzer } from '../../src/analysis/index.ts';
import { tenantsOfProcess } from '../../src/lib/active-tenants.ts';
import { createLogger } from '../../src/observability/logger.ts';

let shared: BuiltinAnalyzer | null = null;

/** The analyzer of this process; a new one after `endSharedAnalyzer`, for whoever still holds it. */
function current(): BuiltinAnalyzer {
  shared ??= openBuiltinAnalyzer({ threads: 2, logger: createLogger('fatal'), activeTenants: tenantsOfProcess });
  return shared;
}

const builtinAnalyzer: BuiltinAnalyzer = {
  analyze: (request) => current().analyze(request),
  convert: (request) => current().convert(request),
  close: async () => {},
};

/**
 * The image analyzer of all test files of this process: each analysis process of its own would load sharp and the models
 * again. To close it leaves its processes to the next file; they end after half a minute without work.
 */
export function sharedAnalyzer(names?: readonly AnalyzerName[]): ImageAnalyzer {
  const rows = Object.entries(analyzers).filter(([name]) => names?.includes(name as AnalyzerName) ?? true);
  const builtin = Object.fromEntries(rows.map(([name, { version }]) => [name, version]));
  return createImageAnalyzer({ builtinAnalyzer, builtin, providers: [] });
}

/** Ends the processes of that analyzer, for tests that count processes. */
export async function endSharedAnalyzer(): Promise<void> {
  await shared?.close();
  shared = null;
}
