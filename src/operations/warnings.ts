import type { WriteElement } from '../catalog/index.ts';
import type { AnalyzerName, Outcomes } from '../analysis/index.ts';

/** Something that was accepted and is probably not what the caller meant, or what its analysis should be known for. */
export type OperationWarning = Readonly<{
  /** `unknown_field`, or a code of the analysis. */
  code: string;
  /** The field, as it was sent; the analysis whose code it is. */
  field: string;
  /** In how many elements. */
  count: number;
  /** 0-based position of the first of them. */
  position: number;
  message: string;
}>;

/** Fields that are named at most, and characters of a name: what is sent by mistake may be of any size. */
const limits = { fields: 20, characters: 64 } as const;

/** Warnings of the analysis that an operation tells apart at most. */
export const maxAnalysisWarnings = 10;

/** What a write should be warned of: fields that no record has, in the order in which they first came. */
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
    const field = [...name.toWellFormed()].slice(0, limits.characters).join('').replaceAll('\0', '\uFFFD');
    const message = `Unknown field '${field}' was ignored; with strict it is refused`;
    return { code: 'unknown_field', field, ...seen, message };
  });
}

/** What the analysis of one element says of itself, each code once. */
export function analysisWarningsOf(position: number, outcomes: Outcomes): OperationWarning[] {
  const found = new Map<string, OperationWarning>();
  for (const field of Object.keys(outcomes) as AnalyzerName[]) {
    for (const { code, message } of outcomes[field]?.warnings ?? []) {
      const own = { code, field, count: 1, position, message: message.replaceAll('\0', '').toWellFormed() };
      if (!found.has(`${field} ${code}`)) found.set(`${field} ${code}`, own);
    }
  }
  return [...found.values()];
}
