import type { Analysis, AnalysisRequest } from './analysis.ts';
import type { AnalyzerName, Outcome, Outcomes } from './facts.ts';
import type { BuiltinAnalyzer } from './open-builtin-analyzer.ts';

/**
 * Results that the built-in analyzer can provide in place of a model. Embeddings are not among them, because
 * embeddings of different models cannot be compared.
 */
const replaceable: readonly AnalyzerName[] = ['caption', 'concepts', 'ocr', 'faces'];

type Failed = Readonly<Record<string, string>>;

/** What the built-in analyzer can provide, and whether it does after any failure or only when a budget is spent. */
export type FallBack = Readonly<{ builtin: readonly AnalyzerName[]; always: boolean }>;

/** Why models failed, by the name of the result that the built-in analyzer provides in their place. */
function replaceableFailures(outcomes: Outcomes, { builtin, always }: FallBack): Failed {
  const failed = replaceable.flatMap((name) => {
    const { error } = outcomes[name] ?? {};
    const reason = error?.message ?? (name === 'caption' ? whyRefused(outcomes.caption) : undefined);
    if (reason === undefined || !builtin.includes(name)) return [];
    return always || error?.code === 'budget_spent' ? [[name, reason]] : [];
  });
  return Object.fromEntries(failed) as Failed;
}

/** Why none of a model's captions was kept; undefined if at least one was. */
function whyRefused(caption: Outcomes['caption']): string | undefined {
  if (Object.keys(caption?.result ?? {}).length > 0) return undefined;
  return caption?.warnings?.find(({ code }) => code === 'caption_refused')?.message;
}

/**
 * Asks the built-in analyzer for the results that models failed to provide. Its outcomes name it as their origin and state
 * the reason in a warning; if it fails too, the model's error stays.
 */
export async function withFallBack(
  builtinAnalyzer: BuiltinAnalyzer,
  fallBack: FallBack,
  request: AnalysisRequest,
  models: Outcomes,
): Promise<Pick<Analysis, 'outcomes' | 'warnings'>> {
  const failures = replaceableFailures(models, fallBack);
  const want = Object.keys(failures) as AnalyzerName[];
  if (want.length === 0) return { outcomes: models, warnings: [] };
  const { outcomes, warnings } = await builtinAnalyzer.analyze({ ...request, want });
  const all = want.flatMap((name) => {
    const outcome = outcomes[name] as Outcome<unknown> | undefined;
    if (outcome === undefined || outcome.error !== undefined) return [];
    const message = `The built-in analyzer gave ${name}, because the model failed: ${failures[name]}`;
    const warning = { code: 'fallback_used', message } as const;
    return [{ name, warning, outcome: { ...outcome, warnings: [...(outcome.warnings ?? []), warning] } }];
  });
  return {
    outcomes: { ...models, ...Object.fromEntries(all.map(({ name, outcome }) => [name, outcome])) },
    warnings: [...warnings, ...all.map(({ warning }) => warning)],
  };
}

/** Whether the built-in analyzer provided a result in place of a model. */
export function hasFallenBack(outcomes: Outcomes): boolean {
  const all = Object.values(outcomes) as readonly Outcome<unknown>[];
  return all.some(({ warnings = [] }) => warnings.some(({ code }) => code === 'fallback_used'));
}
