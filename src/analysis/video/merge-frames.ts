import { builtinAnalyzer } from '../analyzers.ts';
import type { AnalyzerName, Facts, Outcome, Outcomes, Warning } from '../facts.ts';

/**
 * The combined results of frames. If an analyzer failed on some, its outcome is an error, and `seen` has the results of the
 * others.
 */
type Merged = Readonly<{ outcomes: Outcomes; seen: Outcomes }>;

type Merger<Name extends AnalyzerName> = (results: readonly Facts[Name][], frames: readonly Outcomes[]) => Facts[Name];

/** Takes the least safe frame; only providers have this result. */
const mergeNsfw: Merger<'nsfw'> = (results) =>
  results.reduce((most, each) => (each.confidence > most.confidence ? each : most));

/** Joins the results of the frames of a video. @param frames the outcomes of each, in order of time. */
export function mergeFrames(frames: readonly Outcomes[]): Merged {
  const names = new Set(frames.flatMap((outcomes) => Object.keys(outcomes) as AnalyzerName[]));
  const outcomes: Record<string, Outcome<unknown>> = {};
  const seen: Record<string, Outcome<unknown>> = {};
  for (const name of names) {
    const all = frames.flatMap((frame): Outcome<unknown>[] => (frame[name] === undefined ? [] : [frame[name]]));
    const [first] = all;
    if (first === undefined) continue;
    const { analyzer, version } = first;
    const milliseconds = Math.round(all.reduce((sum, each) => sum + each.milliseconds, 0) * 10) / 10;
    const warnings = warningsOf(all);
    const origin = { analyzer, version, milliseconds, ...(warnings.length > 0 && { warnings }) };
    const results = all.flatMap(({ result, error }) => (error === undefined ? [result] : []));
    const errors = all.flatMap(({ error }) => error ?? []);
    if (results.length > 0) seen[name] = { ...origin, result: mergeOf(name)(results, frames) };
    const [error] = errors;
    if (error !== undefined) {
      const where = all.length === errors.length ? 'every frame' : `${errors.length} of ${all.length} frames`;
      outcomes[name] = { ...origin, error: { code: error.code, message: `${error.message} (${where})` } };
    } else if (seen[name] !== undefined) outcomes[name] = seen[name];
  }
  return { outcomes: outcomes as Outcomes, seen: seen as Outcomes };
}

/** The warnings about frames, each once; `nothing_recognized` only if it applies to all of them. */
function warningsOf(frames: readonly Outcome<unknown>[]): Warning[] {
  const byCode = new Map(frames.flatMap(({ warnings = [] }) => warnings).map((warning) => [warning.code, warning]));
  const isBlank = ({ warnings = [] }: Outcome<unknown>) => warnings.some(({ code }) => code === 'nothing_recognized');
  if (!frames.every(isBlank)) byCode.delete('nothing_recognized');
  return [...byCode.values()];
}

/** Each merger gets results of its own analyzer, which types cannot express. */
function mergeOf(name: AnalyzerName): (results: readonly unknown[], frames: readonly Outcomes[]) => unknown {
  const merger = (name === 'nsfw' ? mergeNsfw : builtinAnalyzer(name)?.merge) as Merger<never> | undefined;
  return (
    (merger as ((results: readonly unknown[], frames: readonly Outcomes[]) => unknown) | undefined) ??
    (([first]) => first)
  );
}
