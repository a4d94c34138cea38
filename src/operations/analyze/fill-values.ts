import { longTextOf } from '../../catalog/index.ts';
import type { AnalysisSubject, AnalysisWrite, Provenance, Resource } from '../../catalog/index.ts';
import type { Language, Outcome, Outcomes } from '../../analysis/index.ts';
import { storableText } from '../../lib/storable-text.ts';

/** Concepts below this confidence are not added to a record's keywords, although searches find them. */
const keywordConfidence = 0.5;
const longestText = 10_000;

type Fill = Pick<AnalysisWrite, 'fill' | 'provenance'>;
type Value = Fill['fill'][string];

/** A value for a field of a record, and where it comes from. */
type FoundValue<V extends Value = Value> = Readonly<{ property: string; value: V; provenance: Provenance }>;

/** Collects values for a record: those from the file first, generated ones only if the tenant wants them. */
export function fillOf(
  subject: Pick<AnalysisSubject, 'lang' | 'fills' | 'refusedKeywords'>,
  outcomes: Outcomes,
  resource: Resource,
): Fill {
  const generated = subject.fills ? [...generatedValues(subject, outcomes, resource), ...nsfwOf(outcomes)] : [];
  const found = [...valuesInFile(outcomes), ...generated];
  const fill: Record<string, Value> = {};
  const provenance: Record<string, Provenance> = {};
  for (const each of found) {
    if (each.property in fill) continue;
    fill[each.property] = each.value;
    provenance[each.property] = each.provenance;
  }
  return { fill, provenance };
}

function valuesInFile({ embedded }: Outcomes): FoundValue[] {
  return Object.entries(embedded?.result ?? {}).flatMap(([property, value]) =>
    found(property, value, { source: 'file', ...originOf(embedded, 1) }),
  );
}

/** Whether the record is not safe for work, if a model says so. Unlike other generated values, it needs no review. */
function nsfwOf({ nsfw }: Outcomes): FoundValue<boolean>[] {
  return found('nsfw', nsfw?.result?.isNsfw, {
    source: 'analyzer',
    ...originOf(nsfw, nsfw?.result?.confidence ?? null),
  });
}

/** A text and keywords in the language of a record, without keywords that a person has rejected. */
export function generatedValues(
  { lang, refusedKeywords }: Pick<AnalysisSubject, 'lang' | 'refusedKeywords'>,
  { caption, concepts }: Outcomes,
  resource: Resource,
): FoundValue<string | readonly string[]>[] {
  const sure = (concepts?.result ?? []).filter(
    ({ confidence, labels }) => confidence >= keywordConfidence && !refusedKeywords.includes(labels[lang as Language]),
  );
  const least = sure.reduce((lowest, { confidence }) => Math.min(lowest, confidence), 1);
  const keywords = [...new Set(sure.map(({ labels }) => labels[lang as Language]))];
  return [
    ...found(longTextOf[resource], caption?.result?.[lang as Language], {
      source: 'analyzer',
      ...originOf(caption, null),
    }),
    ...found('keywords', keywords, { source: 'analyzer', ...originOf(concepts, least) }),
  ];
}

/** An empty list if there is no value. */
function found<V extends Value>(property: string, value: V | undefined, provenance: Provenance): FoundValue<V>[] {
  if (value === undefined || (typeof value !== 'boolean' && value.length === 0)) return [];
  return [{ property, value: storableValue(value) as V, provenance }];
}

/** A value that the database accepts: a single bad character from a model would lose all results of the picture. */
function storableValue(value: Value): Value {
  if (typeof value === 'string') return storableText(value, longestText);
  return typeof value === 'boolean' ? value : value.map((item) => storableText(item, longestText));
}

function originOf(outcome: Outcome<unknown> | undefined, confidence: number | null): Omit<Provenance, 'source'> {
  return { analyzer: outcome?.analyzer ?? '', version: outcome?.version ?? '', confidence };
}
