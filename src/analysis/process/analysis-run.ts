import type { Analysis, AnalysisScope } from '../analysis.ts';
import { builtinAnalyzer, needsOf, rasterSides, sideFor } from '../analyzers.ts';
import type { Analyzer, analyzers } from '../analyzers.ts';
import type { SentView, View } from '../view.ts';
import { shrinkRaster } from '../decode.ts';
import type { Decoded } from '../decode.ts';
import type { AnalyzerName, Facts, Outcome, Outcomes, Warning } from '../facts.ts';
import type { RunNetwork } from '../networks/network.ts';
import type { Raster } from '../raster.ts';
import { ThreadError } from './threads.ts';
import type { Threads } from './threads.ts';

type AnalysisRunOptions = AnalysisScope &
  Readonly<{
    signal: AbortSignal;
    tessdataDir: string | null;
    decode: (bytes: Buffer, longSide: number) => Promise<Decoded>;
  }>;

/** The file, its pixels, or both: a large picture arrives decoded, with its bytes only if analyzers read them. */
type AnalyzedPicture = Readonly<{ bytes: Buffer | null; decoded: Decoded | null }>;

/** One analysis: its analyzers, their shared input, and the outcome of each. */
export class AnalysisRun {
  readonly #threads: Threads;
  readonly #options: AnalysisRunOptions;
  readonly #outcomes = new Map<AnalyzerName, Promise<Outcome<Facts[AnalyzerName]>>>();
  readonly #warnings: Warning[] = [];

  constructor(threads: Threads, options: AnalysisRunOptions) {
    this.#threads = threads;
    this.#options = options;
  }

  /** @throws ElementError if the picture cannot be decoded; the signal's reason if it is aborted. */
  async analyze({ bytes, decoded }: AnalyzedPicture): Promise<Analysis> {
    const { want, signal } = this.#options;
    const needs = needsOf(want);
    const { facts: image, raster } = decoded ?? (await this.#options.decode(given(bytes), sideFor(want)));
    const shared = {
      bytes: needs.has('bytes') ? share(given(bytes)) : null,
      small: needs.has('small') ? shareRaster(await shrinkRaster(raster, rasterSides.small)) : null,
      large: needs.has('large') ? shareRaster(raster) : null,
    };
    signal.throwIfAborted();
    const view = { ...shared, width: image.width, height: image.height };
    // The slowest start first, so that the others fill the remaining threads meanwhile.
    const inOrder = want.toSorted(
      (a, b) => (builtinAnalyzer(b)?.maxSeconds ?? 0) - (builtinAnalyzer(a)?.maxSeconds ?? 0),
    );
    const outcomes = await Promise.all(inOrder.map(async (name) => [name, await this.#outcomeOf(name, view)] as const));
    return { image, outcomes: Object.fromEntries(outcomes) as Outcomes, warnings: this.#warnings };
  }

  #outcomeOf(name: AnalyzerName, view: Seen): Promise<Outcome<Facts[AnalyzerName]>> {
    const known = this.#outcomes.get(name);
    if (known !== undefined) return known;
    const outcome = this.#run(name, view);
    this.#outcomes.set(name, outcome);
    return outcome;
  }

  async #run(name: AnalyzerName, seen: Seen): Promise<Outcome<Facts[AnalyzerName]>> {
    const row = builtinAnalyzer(name);
    if (row === null) {
      const error = { code: 'not_available', message: `no builtin analyzer finds ${name}` } as const;
      return { analyzer: 'builtin', version: '0', milliseconds: 0, error };
    }
    const origin = { analyzer: 'builtin', version: row.version };
    const started = performance.now();
    try {
      const view = await this.#viewFor(row, seen);
      const { result, milliseconds, warnings } = await this.#answer(name, row, view);
      this.#warnings.push(...warnings);
      const withWarnings = warnings.length > 0 ? { warnings } : {};
      return { ...origin, milliseconds: Math.round(milliseconds * 10) / 10, ...withWarnings, result };
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const { code, message } = error instanceof ThreadError ? error : new ThreadError('failed', String(error));
      return { ...origin, milliseconds: Math.round(performance.now() - started), error: { code, message } };
    }
  }

  async #answer(name: AnalyzerName, row: Analyzer, view: SentView) {
    const { signal, owner = 0 } = this.#options;
    if (row.needs.length > 0) {
      const bounds = { signal, maxSeconds: row.maxSeconds, owner };
      return this.#threads.run({ name: name as keyof typeof analyzers, view }, bounds);
    }
    const started = performance.now();
    const warnings: Warning[] = [];
    const result = await row.run({ ...view, run: runNothing, warn: (warning) => warnings.push(warning) });
    return { result, milliseconds: performance.now() - started, warnings };
  }

  /** The input of an analyzer: only what it needs, so that little is sent to its thread. */
  async #viewFor({ needs, after }: Analyzer, seen: Seen): Promise<SentView> {
    const { langs = [], context = {}, tessdataDir } = this.#options;
    const sources = await Promise.all(after.map(async (name) => [name, await this.#outcomeOf(name, seen)] as const));
    const found = Object.fromEntries(
      sources.flatMap(([name, { result }]) => (result === undefined ? [] : [[name, result]])),
    );
    const [first = 'en', ...others] = langs;
    return {
      ...seen,
      bytes: needs.includes('bytes') ? seen.bytes : null,
      small: needs.includes('small') ? seen.small : null,
      large: needs.includes('large') ? seen.large : null,
      langs: [first, ...others],
      context,
      tessdataDir,
      found: found as Partial<Facts>,
    };
  }
}

/** Analyzers that run networks need pixels, so they run in threads. */
const runNothing: RunNetwork = () => Promise.reject(new Error('networks run in threads'));

type Seen = Pick<View, 'bytes' | 'small' | 'large' | 'width' | 'height'>;

function given(bytes: Buffer | null): Buffer {
  if (bytes === null) throw new Error('a picture arrived without its file');
  return bytes;
}

function shareRaster(raster: Raster): Raster {
  return { ...raster, data: share(raster.data) };
}

/** A copy that threads can read without copying it again. */
function share(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
