import type { AnalysisSubject, SourceReader } from '../../catalog/index.ts';
import { ElementError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { languages } from '../../vision/index.ts';
import type { AnalyzerName, Language, Outcomes, Sight } from '../../vision/index.ts';
import type { Handover } from './handover.ts';
import { pictureMs } from './limits.ts';

/** What analysing needs besides the database. */
export type AnalysisDeps = Readonly<{
  sight: Sight;
  handover: Handover;
  readSource: SourceReader;
  logger: Logger;
}>;

/** What was seen in a picture, or why it could not be looked at. */
export type Seen = Readonly<{ outcomes: Outcomes }>;

/** The analysers whose results a record lacks, or has from another version. */
export function wantedOf({ known }: AnalysisSubject, { names, origins }: Sight, force: boolean): AnalyzerName[] {
  return names.filter((name) => {
    const [has, now] = [known[name], origins[name]];
    return (
      force ||
      has === undefined ||
      has.error !== undefined ||
      has.analyzer !== now?.analyzer ||
      has.version !== now.version
    );
  });
}

/**
 * Looks at an image's file, as it was stored.
 *
 * @throws ElementError where it cannot be read, is none, or is another file now; the signal's reason.
 */
export async function see(
  tenantId: number,
  subject: AnalysisSubject,
  want: readonly AnalyzerName[],
  { sight, handover, readSource }: AnalysisDeps,
  signal: AbortSignal,
): Promise<Seen> {
  const { checksum, source, context } = subject;
  const bytes = handover.take(tenantId, checksum) ?? (await readAgain(source, readSource, signal));
  const timeout = AbortSignal.timeout(pictureMs);
  const lang = subject.lang as Language;
  try {
    const { image, outcomes } = await sight.analyse({
      bytes,
      want,
      langs: [lang, ...languages.filter((other) => other !== lang)],
      context,
      signal: AbortSignal.any([signal, timeout]),
    });
    if (image.checksum === checksum) return { outcomes };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new ElementError('internal', `the analysis took more than ${pictureMs / 1000} s`);
    throw error;
  }
  throw new ElementError('source_unreachable', 'the source holds another file than when it was stored');
}

async function readAgain(
  source: AnalysisSubject['source'],
  readSource: SourceReader,
  signal: AbortSignal,
): Promise<Buffer> {
  if (source === null) throw new ElementError('source_missing', 'the record names no source');
  return readSource(source, signal);
}
