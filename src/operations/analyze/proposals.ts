import { longTextOf } from '../../catalog/index.ts';
import type { Provenance, Resource, Reviewed, StoredAnalysis } from '../../catalog/index.ts';
import type { Outcomes } from '../../analysis/index.ts';
import { generatedValues } from './fill-values.ts';

/** Values from an analysis for a field that nobody has reviewed. */
export type Proposal = Readonly<{
  field: string;
  values: readonly string[];
  /** Whether the record already has them. */
  isFilled: boolean;
  provenance: Provenance;
}>;

/**
 * Values that an analysis has filled into a record, and values that it would add: a text if there is none, and
 * missing keywords. Locked fields and rejected keywords get no proposals.
 */
export function proposalsOf(
  resource: Resource,
  record: Reviewed,
  analysis: Pick<StoredAnalysis, 'facts'> | null,
): Proposal[] {
  const subject = { lang: record.lang, refusedKeywords: record.refusedKeywords ?? [] };
  // The version that stored these results wrote them in this type.
  const generated = generatedValues(subject, (analysis?.facts ?? {}) as Outcomes, resource);
  const text = longTextOf[resource];
  const current = { [text]: record.text === null ? [] : [record.text], keywords: record.keywords ?? [] };
  return Object.entries(current).flatMap(([field, values]) => {
    if (record.lockedFields?.includes(field)) return [];
    const origin = record.provenance?.[field];
    const isFilled = origin?.source === 'analyzer' && values.length > 0;
    const filled = isFilled ? [{ field, values, isFilled, provenance: origin }] : [];
    if (field === text && values.length > 0) return filled;
    const known = new Set(values.map((value) => value.toLowerCase()));
    const more = generated
      .filter(({ property }) => property === field)
      .map(({ value, provenance }) => ({
        field,
        values: [value].flat().filter((each) => !known.has(each.toLowerCase())),
        isFilled: false,
        provenance,
      }));
    return [...filled, ...more.filter((proposal) => proposal.values.length > 0)];
  });
}
