import { nameObject, shownValues } from '../analysis/index.ts';
import type { Analysis, AnalyzerName, Facts, Language } from '../analysis/index.ts';
import { groupBy } from '../lib/group-by.ts';
import { hexOf } from '../lib/hex-of.ts';
import { printable } from './printable.ts';

type TextOptions = Readonly<{ lang: Language; isColored: boolean }>;
type Found = Partial<Facts>;
/** One line of the report: its title, and its text, if any; `isOurs` if no word of it comes from a picture or a model. */
type Row = Readonly<{
  title: string;
  text: (found: Found, options: TextOptions) => string | readonly string[];
  isOurs?: true;
}>;

const rows: readonly Row[] = [
  { title: 'faces', text: ({ faces = [] }) => (faces.length === 0 ? [] : `${faces.length} (${sure(faces)})`) },
  { title: 'objects', text: ({ objects = [] }, { lang }) => countObjects(objects, lang) },
  {
    title: 'text',
    text: ({ ocr }) => ocr?.lines.map((line) => `${line.text}   (${line.lang}, ${percent(line.confidence)})`) ?? [],
  },
  { title: 'keywords', text: ({ concepts = [] }, { lang }) => concepts.map((each) => each.labels[lang]).join(', ') },
  { title: 'colors', text: ({ colors }, { isColored }) => describeColors(colors, isColored), isOurs: true },
  { title: 'file says', text: ({ embedded = {} }) => describeEmbedded(embedded) },
  {
    title: 'nsfw',
    text: ({ nsfw }) => (nsfw === undefined ? [] : `${nsfw.isNsfw ? 'yes' : 'no'} (${percent(nsfw.confidence)})`),
  },
  { title: 'PDQ', text: ({ pdq }) => (pdq === undefined ? [] : `${hexOf(pdq.hash)}, quality ${pdq.quality}`) },
  ...shownValues.flatMap(({ name, analyzer, print }) => {
    if (print === undefined) return [];
    return [{ title: name, text: (found: Found) => (found[analyzer] === undefined ? [] : print(found[analyzer])) }];
  }),
];

const titleWidth = 12;

/** Describes the analysis of a picture for people, with no control characters but those of our own colors. */
export function describeAnalysis(name: string, { image, outcomes, warnings }: Analysis, options: TextOptions): string {
  const found = resultsOf(outcomes);
  const size = `${image.width} × ${image.height} ${image.format.toUpperCase()}, ${formatSize(image.byteSize)}`;
  const tone = found.colors?.isBlackAndWhite ? ', black and white' : '';
  const lines = [printable(name), `  ${size}, ${found.shape?.orientation ?? ''}${tone}`];
  const caption = found.caption?.[options.lang];
  if (caption !== undefined && caption !== '') lines.push(`  ${printable(caption)}`);
  lines.push('');
  for (const { title, text, isOurs } of rows) {
    const said = [text(found, options)].flat().filter((line) => line !== '');
    const shown = isOurs ? said : said.map(printable);
    lines.push(...shown.map((line, i) => `  ${(i === 0 ? title : '').padEnd(titleWidth)}${line}`));
  }
  for (const [analyzer, { error }] of Object.entries(outcomes)) {
    if (error !== undefined)
      lines.push(`  ${analyzer.padEnd(titleWidth)}no result: ${printable(error.message)} (${error.code})`);
  }
  lines.push(...warnings.map(({ message }) => `  ${'note'.padEnd(titleWidth)}${printable(message)}`));
  return lines.join('\n');
}

/** The analysis as JSON for programs: hashes as hexadecimal, vectors as numbers. */
export function toJson({ image, outcomes, warnings }: Analysis): object {
  const plain = Object.entries(outcomes).map(([name, { result, ...origin }]) => [
    name,
    result === undefined ? origin : { ...origin, result: toPlain(name as AnalyzerName, result) },
  ]);
  return { image, outcomes: Object.fromEntries(plain), warnings };
}

function toPlain(name: AnalyzerName, result: Facts[AnalyzerName]): unknown {
  if (result instanceof Int8Array) return [...result];
  if (name !== 'pdq') return result;
  const { hash, quality } = result as Facts['pdq'];
  return { hash: hexOf(hash), quality };
}

function resultsOf(outcomes: Analysis['outcomes']): Found {
  const entries = Object.entries(outcomes).flatMap(([name, { result }]) =>
    result === undefined ? [] : [[name, result]],
  );
  return Object.fromEntries(entries) as Found;
}

function countObjects(objects: Facts['objects'], lang: Language): string {
  return [...groupBy(objects, (each) => each.label)]
    .map(([label, all]) => {
      const doubt = all.some((each) => each.isConfirmed) ? '' : ', not confirmed';
      return `${nameObject(label, lang)}${all.length > 1 ? ` × ${all.length}` : ''} (${sure(all)}${doubt})`;
    })
    .join(', ');
}

function sure(all: readonly Readonly<{ confidence: number }>[]): string {
  return percent(Math.max(...all.map(({ confidence }) => confidence)));
}

function describeColors(colors: Facts['colors'] | undefined, isColored: boolean): string {
  return (colors?.dominant ?? [])
    .map(({ name, hex: code, percent: share }) => {
      const channels = [1, 3, 5].map((at) => Number.parseInt(code.slice(at, at + 2), 16)).join(';');
      return `${isColored ? `\u001B[48;2;${channels}m  \u001B[0m ` : ''}${name} ${code} ${Math.round(share)} %`;
    })
    .join(', ');
}

function describeEmbedded(embedded: Facts['embedded']): string[] {
  return Object.entries(embedded).map(
    ([field, value]) => `${field}: ${Array.isArray(value) ? value.join(', ') : value}`,
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
