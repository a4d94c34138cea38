import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { expect, inject } from 'vitest';
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

/** Kept outside of this module, which is loaded again after test files that have modules of their own (setup.ts). */
const kept = globalThis as { sharedAnalyzer?: BuiltinAnalyzer | null };

/** The test file that wants to begin without anything known, and what its results are kept by. */
let fresh: Readonly<{ testPath: string | undefined; prefix: string }> | null = null;

/** Where it is kept what was found in a picture; many tests of all processes analyze the same few. */
function placeOf(key: string): string {
  const prefix = fresh?.testPath === testPath() ? fresh?.prefix : undefined;
  return join(inject('analyses'), `${prefix ?? ''}${key}`);
}

function testPath(): string | undefined {
  return expect.getState().testPath; // oxlint-disable-line vitest/no-standalone-expect -- names the file, expects nothing
}

function keep(place: string, found: Analysis): void {
  const draft = `${place}.${randomUUID()}`;
  writeFileSync(draft, serialize(found));
  renameSync(draft, place);
}

/** Longer than a run: a process that ended would have to be started again for the next file. */
const idleMs = 3_600_000;

/** The analyzer of this process; a new one after `endSharedAnalyzer`, for whoever still holds it. Each thread loads the models. */
function current(): BuiltinAnalyzer {
  const options = { threads: 1, logger: createLogger('fatal'), activeTenants: tenantsOfProcess };
  kept.sharedAnalyzer ??= openBuiltinAnalyzer(options, undefined, { idleMs });
  return kept.sharedAnalyzer;
}

/** Analyzes a picture, once for each set of analyzers with the same languages and context. Failures are not kept. */
async function analyze(request: AnalysisRequest): Promise<Analysis> {
  const { want, langs = [], context = {}, signal } = request;
  signal?.throwIfAborted();
  const bytes = 'bytes' in request ? request.bytes : await readFile(request.path, { signal });
  const key = createHash('sha256')
    .update(JSON.stringify([[...want].toSorted(), langs, context]))
    .update(bytes)
    .digest('hex');
  const place = placeOf(key);
  if (existsSync(place)) return deserialize(readFileSync(place)) as Analysis;
  const found = await current().analyze(request);
  const isWhole = Object.values(found.outcomes).every(({ error }) => error === undefined);
  if (isWhole) keep(place, found);
  return found;
}

/** The builtin analyzer of all test files of this process, for tests that add models of providers. To close it ends nothing. */
export const sharedBuiltinAnalyzer: BuiltinAnalyzer = {
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
  return createImageAnalyzer({ builtinAnalyzer: sharedBuiltinAnalyzer, builtin, providers: [] });
}

/** Ends the processes of that analyzer, and forgets for this file what was found before, for tests that count processes. */
export async function endSharedAnalyzer(): Promise<void> {
  await kept.sharedAnalyzer?.close();
  kept.sharedAnalyzer = null;
  fresh = { testPath: testPath(), prefix: `${randomUUID()}-` };
}
