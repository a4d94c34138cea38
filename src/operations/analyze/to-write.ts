import type { AnalysisSubject, AnalysisWrite, AnalysisColumns, StoredOutcome } from '../../catalog/index.ts';
import { hasFallenBack, languages } from '../../analysis/index.ts';
import type { AnalyzerName, Facts, Outcome, Outcomes } from '../../analysis/index.ts';
import { storableText } from '../../lib/storable-text.ts';
import { fillOf } from './fill-values.ts';

/** Separates the names of one language in the column that searches read. */
const separator = '\u{1f}';

/** Analysis results as stored: facts, columns for searches, and values for empty fields. */
export function toWrite(subject: AnalysisSubject, outcomes: Outcomes, signature: string): AnalysisWrite {
  const isFirst = Object.keys(subject.known).length === 0;
  const { rowId, checksum } = subject;
  return {
    rowId,
    checksum,
    signature,
    status: statusOf(outcomes),
    facts: toStored(outcomes),
    columns: columnsOf(outcomes),
    ...(isFirst ? fillOf(subject, outcomes, 'image') : { fill: {}, provenance: {} }),
    ...fingerprintsOf(outcomes),
  };
}

/**
 * `stale` if the builtin analyzer stood in for a model: its results count as those of another version, so the record
 * is found and analyzed again.
 */
export function statusOf(outcomes: Outcomes): 'ready' | 'stale' | 'failed' {
  if (Object.values(outcomes).some(({ error }) => error !== undefined)) return 'failed';
  return hasFallenBack(outcomes) ? 'stale' : 'ready';
}

/** Which analyzers ran and what each found; for those in `without`, only that they ran. */
export function toStored(
  outcomes: Outcomes,
  without: readonly AnalyzerName[] = [],
): Readonly<Record<string, StoredOutcome>> {
  const all = Object.entries(outcomes) as [AnalyzerName, Outcome<unknown>][];
  return Object.fromEntries(
    all.map(([name, outcome]) => [name, storedOutcome(outcome, [...keptElsewhere, ...without].includes(name))]),
  );
}

/** What pictures are compared by. */
export function fingerprintsOf(outcomes: Outcomes): Pick<AnalysisWrite, 'pdq' | 'embedding' | 'localFeatures'> {
  return {
    pdq: outcomes.pdq?.result ?? null,
    embedding: embeddingOf(outcomes),
    localFeatures: outcomes.localFeatures?.result ?? null,
  };
}

const keptElsewhere: readonly AnalyzerName[] = ['pdq', 'embedding', 'localFeatures'];

/**
 * Without hashes and vectors, which have rows of their own, and without NUL and unpaired surrogates, which
 * PostgreSQL's text does not accept.
 */
function storedOutcome({ result, ...origin }: Outcome<unknown>, isElsewhere: boolean): StoredOutcome {
  if (result === undefined || isElsewhere) return origin as StoredOutcome;
  const text = JSON.stringify(result, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
  return { ...origin, result: JSON.parse(text) } as StoredOutcome;
}

/** The columns that searches use. */
export function columnsOf({ faces, ocr, colors, concepts }: Outcomes): AnalysisColumns {
  return {
    ...(faces?.result && { nFaces: faces.result.length }),
    ...(ocr?.result && { ocr: storableText(ocr.result.text) }),
    ...(colors?.result && {
      bw: colors.result.isBlackAndWhite,
      colors: searchColors(colors.result.dominant),
    }),
    ...(concepts?.result && { concepts: namesOf(concepts.result) }),
  };
}

/** Adds up the fractions of colors with the same name. */
function searchColors(colors: Facts['colors']['dominant']): NonNullable<AnalysisColumns['colors']> {
  const byName = new Map<string, { name: string; hex: string; percent: number }>();
  for (const { name, hex: withSign, percent } of colors) {
    const hex = withSign.replace('#', '');
    const known = byName.get(name);
    if (known === undefined) byName.set(name, { name, hex, percent });
    else known.percent = Math.round((known.percent + percent) * 10) / 10;
  }
  return [...byName.values()].toSorted((a, b) => b.percent - a.percent);
}

/** The names of concepts by language, except those from the file, which searches find through its keywords. */
function namesOf(concepts: Facts['concepts']): string[] {
  const seen = concepts.filter(({ source }) => source !== 'embedded');
  return languages.map((lang) => seen.map(({ labels }) => storableText(labels[lang])).join(separator));
}

function embeddingOf({ embedding }: Outcomes): AnalysisWrite['embedding'] {
  if (embedding?.result === undefined) return null;
  return { vector: embedding.result, model: `${embedding.analyzer} ${embedding.version}` };
}
