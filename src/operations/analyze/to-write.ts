import type {
  AnalysisSubject,
  AnalysisWrite,
  Provenance,
  AnalysisColumns,
  StoredOutcome,
} from '../../catalog/index.ts';
import { languages } from '../../analysis/index.ts';
import type { AnalyzerName, Facts, Language, Outcome, Outcomes } from '../../analysis/index.ts';

/** Separates the names of one language where searches read them. */
const separator = '\u{1f}';
/** Concepts below this confidence are not added to the keywords of a record, though searches find them. */
const keywordConfidence = 0.5;
const longestText = 10_000;

/** Analysis results as stored: facts, columns for searches, and values for empty fields. */
export function toWrite(subject: AnalysisSubject, outcomes: Outcomes, signature: string): AnalysisWrite {
  const all = Object.entries(outcomes) as [AnalyzerName, Outcome<unknown>][];
  const isFirst = Object.keys(subject.known).length === 0;
  const { rowId, checksum } = subject;
  return {
    rowId,
    checksum,
    signature,
    status: all.some(([, { error }]) => error !== undefined) ? 'failed' : 'ready',
    facts: toStored(outcomes),
    columns: columnsOf(outcomes),
    ...(isFirst ? fillOf(subject, outcomes, 'caption') : { fill: {}, provenance: {} }),
    ...fingerprintsOf(outcomes),
  };
}

/** Which analyzers ran and what each found; of those in `without` only the former. */
export function toStored(
  outcomes: Outcomes,
  without: readonly AnalyzerName[] = [],
): Readonly<Record<string, StoredOutcome>> {
  const all = Object.entries(outcomes) as [AnalyzerName, Outcome<unknown>][];
  return Object.fromEntries(
    all.map(([name, outcome]) => [name, storable(outcome, [...keptApart, ...without].includes(name))]),
  );
}

/** Data by which pictures are compared. */
export function fingerprintsOf(outcomes: Outcomes): Pick<AnalysisWrite, 'pdq' | 'embedding' | 'likeness'> {
  return {
    pdq: outcomes.pdq?.result ?? null,
    embedding: embeddingOf(outcomes),
    likeness: outcomes.likeness?.result ?? null,
  };
}

const keptApart: readonly AnalyzerName[] = ['pdq', 'embedding', 'likeness'];

/** Hashes and vectors have rows of their own; PostgreSQL's text accepts neither NUL nor unpaired surrogates. */
function storable({ result, ...origin }: Outcome<unknown>, isApart: boolean): StoredOutcome {
  if (result === undefined || isApart) return origin as StoredOutcome;
  const text = JSON.stringify(result, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  );
  return { ...origin, result: JSON.parse(text) } as StoredOutcome;
}

/** The columns used by searches. */
export function columnsOf({ faces, text, colours: colors, concepts }: Outcomes): AnalysisColumns {
  return {
    ...(faces?.result && { nFaces: faces.result.length }),
    ...(text?.result && { ocr: text.result.text.replaceAll('\0', '').toWellFormed() }),
    ...(colors?.result && {
      bw: colors.result.isBlackAndWhite,
      colors: searchColors(colors.result.colours),
    }),
    ...(concepts?.result && { concepts: namesOf(concepts.result) }),
  };
}

/** Adds up the fractions of colors with the same name. */
function searchColors(colors: Facts['colours']['colours']): NonNullable<AnalysisColumns['colors']> {
  const byName = new Map<string, { name: string; hex: string; percent: number }>();
  for (const { name, hex: withSign, percent } of colors) {
    const hex = withSign.replace('#', '');
    const known = byName.get(name);
    if (known === undefined) byName.set(name, { name, hex, percent });
    else known.percent = Math.round((known.percent + percent) * 10) / 10;
  }
  return [...byName.values()].toSorted((a, b) => b.percent - a.percent);
}

/** Concepts from the caller are already searchable as the caller's, and those from the file through its keywords. */
function namesOf(concepts: Facts['concepts']): string[] {
  const seen = concepts.filter(({ source }) => source !== 'embedded');
  return languages.map((lang) =>
    seen.map(({ labels }) => labels[lang].replaceAll('\0', '').toWellFormed()).join(separator),
  );
}

function embeddingOf({ embedding }: Outcomes): AnalysisWrite['embedding'] {
  if (embedding?.result === undefined) return null;
  return { vector: embedding.result, model: `${embedding.analyzer} ${embedding.version}` };
}

type Fill = Pick<AnalysisWrite, 'fill' | 'provenance'>;

/** Values from the file come first; generated ones only where the tenant wants them. */
export function fillOf(
  { lang, fills }: Pick<AnalysisSubject, 'lang' | 'fills'>,
  outcomes: Outcomes,
  longText: 'caption' | 'description',
): Fill {
  const fill: Record<string, string | boolean | readonly string[]> = {};
  const provenance: Record<string, Provenance> = {};
  const put = (
    property: string,
    value: string | boolean | readonly string[] | undefined,
    origin: Omit<Provenance, 'source'>,
    source: Provenance['source'],
  ) => {
    if (value === undefined || (typeof value !== 'boolean' && value.length === 0) || property in fill) return;
    fill[property] = typeof value === 'string' ? value.slice(0, longestText).toWellFormed() : value;
    provenance[property] = { source, ...origin };
  };
  const { embedded, caption, concepts } = outcomes;
  for (const [property, value] of Object.entries(embedded?.result ?? {})) {
    put(property, value, originOf(embedded, 1), 'file');
  }
  if (!fills) return { fill, provenance };
  put(longText, caption?.result?.[lang as Language], originOf(caption, null), 'analyzer');
  const sure = (concepts?.result ?? []).filter(({ confidence }) => confidence >= keywordConfidence);
  const least = sure.reduce((lowest, { confidence }) => Math.min(lowest, confidence), 1);
  const keywords = [...new Set(sure.map(({ labels }) => labels[lang as Language]))];
  put('keywords', keywords, originOf(concepts, least), 'analyzer');
  return { fill, provenance };
}

function originOf(outcome: Outcome<unknown> | undefined, confidence: number | null): Omit<Provenance, 'source'> {
  return { analyzer: outcome?.analyzer ?? '', version: outcome?.version ?? '', confidence };
}
