import type { Source, SourceReader } from '../catalog/index.ts';
import { AppError, ElementError } from '../lib/errors.ts';
import { storableText } from '../lib/storable-text.ts';
import { languages } from '../analysis/index.ts';
import type { AnalyzerName, Facts, Language, Outcome, Outcomes, ImageAnalyzer } from '../analysis/index.ts';
import { pictureFault, unreadablePicture } from './picture-fault.ts';

/** The outputs that can be requested for a picture, and the analyzer that produces each. */
export const tagOutputs = {
  caption: 'caption',
  keywords: 'concepts',
  ocr: 'ocr',
  colors: 'colors',
  faces: 'faces',
  objects: 'objects',
} as const satisfies Record<string, AnalyzerName>;
export type TagOutput = keyof typeof tagOutputs;

type TagRequest = Readonly<{
  /** An uploaded file, or a URL; exactly one of them. */
  bytes: Buffer | null;
  url: string | null;
  wants: readonly TagOutput[];
  /** The requested language; an unsupported one is answered in English. */
  lang: string;
  /** What is known about the picture. Empty texts count as absent. */
  context: Readonly<Record<'date' | 'event' | 'city' | 'country', string>>;
}>;

export type Tags = Readonly<{
  outcomes: Outcomes;
  lang: Language;
  elapsedMs: number;
  warnings: readonly string[];
}>;

/** `tenantId` is the tenant that waits for the result. */
type TagDeps = Readonly<{ imageAnalyzer: ImageAnalyzer; readSource: SourceReader; tenantId: number }>;

/** Maximum time for one picture, as the contract sets it; it also limits decoding when no output is requested. */
const tagMs = 60_000;
const longestContext = 200;

/**
 * Analyzes one picture without storing anything.
 *
 * @throws AppError for a picture that cannot be fetched or read, a provider that failed, and a timeout.
 */
export async function tagImage(
  request: TagRequest,
  { imageAnalyzer, readSource, tenantId }: TagDeps,
  signal: AbortSignal,
): Promise<Tags> {
  const began = performance.now();
  const timeout = AbortSignal.timeout(tagMs);
  const bounded = AbortSignal.any([signal, timeout]);
  const source = sourceOf(request);
  const lang = languages.find((each) => each === request.lang) ?? 'en';
  try {
    const want = request.wants.map((output) => tagOutputs[output]);
    const context = contextOf(request.context);
    const handling = { owner: tenantId, isUrgent: true, signal: bounded };
    const analyze = (bytes: Buffer) => imageAnalyzer.analyze({ bytes, want, langs: [lang], context, ...handling });
    const { outcomes, warnings } = await ('kind' in source
      ? readSource.use(source, handling, analyze)
      : analyze(source.bytes));
    throwFirstFailure(outcomes);
    const warningCodes = [
      ...(want.length === 0 ? ['no_output_requested'] : []),
      ...(lang === request.lang ? [] : ['language_unavailable']),
      ...new Set(warnings.map(({ code }) => code)),
    ];
    return { outcomes, lang, elapsedMs: Math.round(performance.now() - began), warnings: warningCodes };
  } catch (error) {
    if (timeout.aborted) throw overtime();
    if (error instanceof ElementError) throw pictureFault(error, request.url);
    throw error;
  }
}

function sourceOf({ bytes, url }: TagRequest): Source | Readonly<{ bytes: Buffer }> {
  if (bytes !== null && url === null) return { bytes };
  if (bytes === null && url !== null) {
    if (URL.canParse(url)) return { kind: 'url', value: url };
    throw unreadablePicture('invalid_field', 'image_url is not an absolute URL', 'imageUrl', url);
  }
  throw new AppError('invalid_input_combination', 'Provide exactly one of image or image_url', {
    hint: 'Send an upload as image, or a URL as image_url',
  });
}

function contextOf(given: TagRequest['context']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name, storableText(value.replaceAll(/\p{Cc}+/gu, ' ').trim(), longestContext)])
      .filter(([, value]) => value !== ''),
  );
}

/** Fails the request if a requested output cannot be produced: a partial answer would look complete. */
function throwFirstFailure(outcomes: Outcomes): void {
  for (const [name, { analyzer, error }] of Object.entries(outcomes) as [string, Outcome<unknown>][]) {
    if (error === undefined) continue;
    if (error.code === 'timeout') throw overtime();
    throw new AppError('provider_failed', `The analysis of ${name} failed: ${error.message}`, {
      analyzer,
      reason: error.code,
    });
  }
}

function overtime(): AppError {
  return new AppError('timeout', `The picture was not analyzed within ${tagMs / 1000} seconds`, {
    hint: 'Request fewer outputs, or send a smaller picture',
  });
}

/** The result of a requested output, or null. */
export function tagResult<Output extends TagOutput>(
  { outcomes }: Tags,
  output: Output,
): Facts[(typeof tagOutputs)[Output]] | null {
  const outcome = outcomes[tagOutputs[output]] as Outcome<Facts[(typeof tagOutputs)[Output]]> | undefined;
  return outcome?.result ?? null;
}
