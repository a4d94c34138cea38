/** The number of records in a range of years. */
export type Bin = Readonly<{ from: number; to: number; count: number }>;

type YearCount = Readonly<{ year: number | null; count: number }>;

/** Maximum number of bars next to each other. */
const mostBins = 26;
const spans = [1, 2, 5, 10, 20, 50, 100, 500] as const;

/** Groups years so that they fit, including years without records. */
export function toBins(years: readonly YearCount[]): Bin[] {
  const known = years.flatMap(({ year, count }) => (year === null ? [] : [{ year, count }]));
  if (known.length === 0) return [];
  const all = known.map(({ year }) => year);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const span = spans.find((each) => Math.floor(high / each) - Math.floor(low / each) < mostBins) ?? 1000;
  const first = Math.floor(low / span);
  const bins = Array.from({ length: Math.floor(high / span) - first + 1 }, (_, at) => ({
    from: (first + at) * span,
    to: (first + at) * span + span - 1,
    count: 0,
  }));
  for (const { year, count } of known) {
    const bin = bins[Math.floor(year / span) - first];
    if (bin !== undefined) bin.count += count;
  }
  return bins;
}

/** The first and the last year of records; null without any. */
export function endsOf(years: readonly YearCount[]): readonly [first: number, last: number] | null {
  const known = years.flatMap(({ year, count }) => (year === null || count === 0 ? [] : [year]));
  return known.length === 0 ? null : [Math.min(...known), Math.max(...known)];
}

/** Whether a text is a year or empty. */
export function isYear(text: string): boolean {
  return /^\d{0,4}$/.test(text.trim());
}

/** A period as formulas write it; null for all time. */
export function periodOf(from: string, to: string): string | null {
  const [low, high] = [from, to].map((text) => (/^\d{1,4}$/.test(text.trim()) ? text.trim().padStart(4, '0') : ''));
  return low === '' && high === '' ? null : `${low}..${high}`;
}
