import type { Source, SourceReader } from '../catalog/index.ts';
import { AppError, ElementError } from '../errors.ts';
import { languages } from '../analysis/index.ts';
import type { AnalyzerName, Facts, Language, Outcome, Outcomes, ImageAnalyzer } from '../analysis/index.ts';
import { pictureFault, unreadablePicture } from './store/picture-fault.ts';

/** What can be asked of a picture, and the analyzer that answers. */
export const tagOutputs = {
  caption: 'caption',
  keywords: 'concepts',
  ocr: 'text',
  colors: 'colours',
  faces: 'faces',
  objects: 'objects',
} as const satisfies Record<string, AnalyzerName>;
export type TagOutput = keyof typeof tagOutputs;

export type TagRequest = Readonly<{
  /** An uploaded file, or an address; exactly one of them. */
  bytes: Buffer | null;
  url: string | null;
  wants: readonly TagOutput[];
  /** As asked for; a language that nobody speaks here is answered in English. */
  lang: string;
  /** What is known of the picture. Empty texts are as not given. */
  context: Readonly<Record<'date' | 'event' | 'city' | 'country', string>>;
}>;

export type Tags = Readonly<{
  outcomes: Outcomes;
  lang: Language;
  elapsedMs: number;
  warnings: readonly string[];
}>;

/** `tenantId` is who waits. */
export type TagDeps = Readonly<{ imageAnalyzer: ImageAnalyzer; readSource: SourceReader; tenantId: number }>;

/** Longest time for one picture, as the contract sets it; and for its decoding when nothing is asked. */
const tagMs = 60_000;
const longestContext = 200;

/**
 * Looks at one picture without keeping anything of it.
 *
 * @throws AppError for a picture that cannot be had or read, a provider that failed, and overtime.
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
    const look = (bytes: Buffer) => imageAnalyzer.analyze({ bytes, want, langs: [lang], context, ...handling });
    const { outcomes, warnings } = await ('kind' in source
      ? readSource.use(source, handling, look)
      : look(source.bytes));
    failWithThem(outcomes);
    const remarks = [
      ...(want.length === 0 ? ['no_output_requested'] : []),
      ...(lang === request.lang ? [] : ['language_unavailable']),
      ...new Set(warnings.map(({ code }) => code)),
    ];
    return { outcomes, lang, elapsedMs: Math.round(performance.now() - began), warnings: remarks };
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
    hint: 'An upload as image, or an address as image_url',
  });
}

function contextOf(given: TagRequest['context']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [
        name,
        value
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
          .toWellFormed()
          .slice(0, longestContext),
      ])
      .filter(([, value]) => value !== ''),
  );
}

/** One output that was asked for and cannot be given fails the request: half an answer would look like a whole one. */
function failWithThem(outcomes: Outcomes): void {
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
    hint: 'Ask for fewer outputs, or send a smaller picture',
  });
}

/** The result of an output that was asked for, or null. */
export function tagResult<Output extends TagOutput>(
  { outcomes }: Tags,
  output: Output,
): Facts[(typeof tagOutputs)[Output]] | null {
  const outcome = outcomes[tagOutputs[output]] as Outcome<Facts[(typeof tagOutputs)[Output]]> | undefined;
  return outcome?.result ?? null;
}
