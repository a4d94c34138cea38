import type { WriteElement } from '../../catalog/index.ts';
import type { AnalyzerName, Outcomes } from '../../analysis/index.ts';
import { storableText } from '../../lib/storable-text.ts';

/** Input that was accepted but is probably not what the caller meant, or a notable property of its analysis. */
export type OperationWarning = Readonly<{
  /** `unknown_field`, or an analysis code. */
  code: string;
  /** The field as it was sent, or the analyzer that reported the code. */
  field: string;
  /** Number of elements affected. */
  count: number;
  /** 0-based position of the first element concerned. */
  position: number;
  message: string;
}>;

/** How many fields are named, and how much of each name: unknown input may be of any size. */
const limits = { fields: 20, characters: 64 } as const;

/** Maximum number of distinct analysis warnings of an operation. */
export const maxAnalysisWarnings = 10;

/** Warnings for a write: fields that no record has, in order of first appearance. */
export function warningsOf(elements: readonly WriteElement[]): OperationWarning[] {
  const found = new Map<string, { count: number; position: number }>();
  for (const [position, { unknownFields = [] }] of elements.entries()) {
    for (const name of unknownFields) {
      const seen = found.get(name);
      if (seen !== undefined) seen.count += 1;
      else if (found.size < limits.fields) found.set(name, { count: 1, position });
    }
  }
  return [...found].map(([name, seen]) => {
    const start = name.slice(0, 2 * limits.characters).toWellFormed();
    const field = [...start].slice(0, limits.characters).join('').replaceAll('\0', '\uFFFD');
    const message = `Unknown field '${field}' was ignored; with strict it is refused`;
    return { code: 'unknown_field', field, ...seen, message };
  });
}

/** Analysis warnings of one element, each code once. */
export function analysisWarningsOf(position: number, outcomes: Outcomes): OperationWarning[] {
  const found = new Map<string, OperationWarning>();
  for (const field of Object.keys(outcomes) as AnalyzerName[]) {
    for (const { code, message } of outcomes[field]?.warnings ?? []) {
      const own = { code, field, count: 1, position, message: storableText(message) };
      if (!found.has(`${field} ${code}`)) found.set(`${field} ${code}`, own);
    }
  }
  return [...found.values()];
}
