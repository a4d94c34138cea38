import { findAnalysisSubjects, keepAnalyses } from '../../catalog/index.ts';
import type { AnalysisSubject, AnalysisWrite } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import type { AnalyzerName, Outcomes } from '../../analysis/index.ts';
import { analyzePicture } from './analyze-picture.ts';
import { languagesFrom, wantedOf } from './record-analyzer.ts';
import type { AnalysisDeps, RecordAnalyzer } from './record-analyzer.ts';
import { toWrite } from './to-write.ts';

const bare = { status: 'failed', facts: {}, columns: {}, fill: {}, provenance: {} } as const;

export const imageRecordAnalyzer: RecordAnalyzer<AnalysisSubject, AnalysisWrite> = {
  noun: 'picture',
  find: findAnalysisSubjects,
  async analyze(tenantId, subject, force, deps, signal) {
    const { imageAnalyzer } = deps;
    const want = wantedOf(subject.known, imageAnalyzer.names, imageAnalyzer, force);
    const outcomes = want.length === 0 ? {} : await analyzeSource(tenantId, subject, want, deps, signal);
    return { write: toWrite(subject, outcomes, imageAnalyzer.signature), outcomes };
  },
  failed: (subject, { signature }) => ({ ...toWrite(subject, {}, signature), status: 'failed' }),
  refused: (write) => ({ ...write, ...bare, pdq: null, embedding: null, localFeatures: null }),
  modelsOf: ({ embedding }) => (embedding === null ? [] : [embedding.model]),
  keep: keepAnalyses,
};

async function analyzeSource(
  tenantId: number,
  subject: AnalysisSubject,
  want: readonly AnalyzerName[],
  deps: AnalysisDeps,
  signal: AbortSignal,
): Promise<Outcomes> {
  const { checksum, source } = subject;
  const { sourceBytes, readSource } = deps;
  const known = sourceBytes.take(tenantId, checksum);
  const analyze = (bytes: Buffer) => analyzeBytes(tenantId, bytes, subject, want, deps, signal);
  if (known !== undefined) return analyze(known);
  if (source === null) throw new ElementError('source_missing', 'the record has no source');
  return readSource.use(source, { owner: tenantId, signal }, analyze);
}

async function analyzeBytes(
  tenantId: number,
  bytes: Buffer,
  { checksum, context, lang }: AnalysisSubject,
  want: readonly AnalyzerName[],
  deps: AnalysisDeps,
  signal: AbortSignal,
): Promise<Outcomes> {
  const request = { bytes, want, owner: tenantId, langs: languagesFrom(lang), context, signal };
  const { image, outcomes } = await analyzePicture(request, deps, 'the analysis');
  if (image.checksum === checksum) return outcomes;
  throw new ElementError('source_unreachable', 'the file at the source has changed since it was stored');
}
