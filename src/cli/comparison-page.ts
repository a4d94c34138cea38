import type { Analysis, AnalyzerName, Facts, Language } from '../analysis/index.ts';

/** What one provider found in a picture, or why it found nothing. */
export type ProviderFinding = Readonly<{ analysis: Analysis } | { error: string }>;

/** A picture with the results of each provider, in the order of the providers. */
export type ComparedPicture = Readonly<{ name: string; jpeg: Buffer | null; columns: readonly ProviderFinding[] }>;

/** The analyzers that providers can replace, and the values of each that are compared. */
const comparedRows = [
  { analyzer: 'caption', title: 'Caption', values: (caption, lang) => [caption[lang] ?? caption.en ?? ''] },
  { analyzer: 'concepts', title: 'Keywords', values: (all, lang) => all.map(({ labels }) => labels[lang]) },
  { analyzer: 'ocr', title: 'Text', values: ({ lines }) => lines.map(({ text }) => text) },
  { analyzer: 'nsfw', title: 'Not safe', values: ({ isNsfw, confidence }) => [`${isNsfw} ${confidence.toFixed(2)}`] },
] as const satisfies readonly RowOf<AnalyzerName>[] as unknown as readonly Row[];

type RowOf<N extends AnalyzerName> = N extends AnalyzerName
  ? Readonly<{ analyzer: N; title: string; values: (result: Facts[N], lang: Language) => readonly string[] }>
  : never;
type Row = Readonly<{
  analyzer: AnalyzerName;
  title: string;
  values: (result: unknown, lang: Language) => readonly string[];
}>;

export const comparedAnalyzers: readonly AnalyzerName[] = comparedRows.map(({ analyzer }) => analyzer);

/** Renders a self-contained page without scripts: pictures with the results of each provider side by side. */
export function comparisonPage(
  providers: readonly string[],
  pictures: readonly ComparedPicture[],
  lang: Language,
): string {
  const title = `${providers.join(' and ')}, ${pictures.length} pictures`;
  const head = ['Picture', '', ...providers].map((each) => `<th>${escaped(each)}</th>`).join('');
  return `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color-scheme: light dark }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8886 }
img { max-width: 320px; max-height: 320px; display: block }
mark { background: #fc08; color: inherit }
small, .error { opacity: .7 }
</style>
<h1>${escaped(title)}</h1>
<p><mark>Marked</mark>: only this provider says so.</p>
<table>
<tr>${head}</tr>
${pictures.map((picture) => sectionOf(picture, lang)).join('\n')}
</table>
</html>
`;
}

function sectionOf({ name, jpeg, columns }: ComparedPicture, lang: Language): string {
  const picture = jpeg === null ? '' : `<img alt="" src="data:image/jpeg;base64,${jpeg.toString('base64')}">`;
  const first = `<td rowspan="${comparedRows.length}">${picture}${escaped(name)}</td>`;
  return comparedRows
    .map((row, k) => {
      const said = columns.map((column) => valuesOf(column, row, lang));
      const cells = columns.map((column, at) => {
        const others = new Set(
          said
            .filter((_, other) => other !== at)
            .flat()
            .map(folded),
        );
        return `<td>${cellOf(column, row, said[at] ?? [], others)}</td>`;
      });
      return `<tr>${k === 0 ? first : ''}<th>${escaped(row.title)}</th>${cells.join('')}</tr>`;
    })
    .join('\n');
}

function valuesOf(column: ProviderFinding, { analyzer, values }: Row, lang: Language): readonly string[] {
  const result = 'analysis' in column ? column.analysis.outcomes[analyzer]?.result : undefined;
  return result === undefined ? [] : values(result, lang).filter((value) => value !== '');
}

function cellOf(
  column: ProviderFinding,
  { analyzer }: Row,
  values: readonly string[],
  others: ReadonlySet<string>,
): string {
  if ('error' in column) return `<span class="error">${escaped(column.error)}</span>`;
  const outcome = column.analysis.outcomes[analyzer];
  if (outcome === undefined) return '<span class="error">not available</span>';
  const origin = `<br><small>${escaped(outcome.analyzer)}, ${Math.round(outcome.milliseconds)} ms</small>`;
  if (outcome.error !== undefined) return `<span class="error">${escaped(outcome.error.message)}</span>${origin}`;
  const shown = values.map((value) => (others.has(folded(value)) ? escaped(value) : `<mark>${escaped(value)}</mark>`));
  return `${shown.join(', ') || '–'}${origin}`;
}

const folded = (text: string) => text.normalize('NFC').toLocaleLowerCase();

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}
