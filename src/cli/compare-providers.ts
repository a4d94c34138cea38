import { writeFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { ElementError } from '../lib/errors.ts';
import type { AnalyzerName, ImageAnalyzer, Language, PictureContext } from '../analysis/index.ts';
import { comparedAnalyzers, comparisonPage } from './comparison-page.ts';
import type { ProviderFinding, ComparedPicture } from './comparison-page.ts';
import { refusalInWords } from '../lib/system-refusals.ts';
import { evenly, pictureFilesOf } from './picture-files.ts';
import { createProgress } from './progress.ts';

/** Maximum number of pictures on a page, which is then about 10 MB. */
const mostPictures = 200;
const previewWidth = 320;

/** A provider with an image analyzer that uses it for everything it supports. */
type ComparedProvider = Readonly<{ name: string; imageAnalyzer: ImageAnalyzer }>;

type ProviderComparison = Readonly<{
  /** A folder, or a single picture. */
  folder: string;
  lang: Language;
  context: PictureContext;
  /** The file that the page is written to. */
  page: string;
}>;

/**
 * The outcome of a comparison: how many pictures it shows, and a description of each provider's failure in each of
 * them.
 */
type Compared = Readonly<{ count: number; failures: readonly string[] }>;

/** Analyzes the pictures of a folder with each provider and writes a page that shows the results side by side. */
export async function compareProviders(
  providers: readonly ComparedProvider[],
  { folder, lang, context, page }: ProviderComparison,
): Promise<Compared> {
  const files = evenly(await pictureFilesOf(folder), mostPictures);
  const progress = createProgress({ json: false });
  const pictures: ComparedPicture[] = [];
  for (const path of files) {
    const columns: ProviderFinding[] = [];
    for (const { imageAnalyzer } of providers) columns.push(await columnOf(imageAnalyzer, path, { lang, context }));
    const jpeg = await previewOf(providers, path);
    pictures.push({ name: relative(folder, path) || basename(path), jpeg, columns });
    progress.show(() => `compared ${pictures.length} of ${files.length} pictures`);
  }
  progress.close();
  const names = providers.map(({ name }) => name);
  await writeFile(page, comparisonPage(names, pictures, lang));
  return { count: pictures.length, failures: failuresOf(names, pictures) };
}

function failuresOf(providers: readonly string[], pictures: readonly ComparedPicture[]): string[] {
  const failures = providers.flatMap((provider, i) =>
    comparedAnalyzers.flatMap((analyzer) => {
      const errors = pictures.map(({ columns }) => errorOf(columns[i], analyzer));
      return errors.includes(undefined) ? [] : [`${provider}: ${errors[0]}`];
    }),
  );
  return [...new Set(failures)];
}

function errorOf(column: ProviderFinding | undefined, analyzer: AnalyzerName): string | undefined {
  if (column === undefined) return undefined;
  return 'error' in column ? column.error : column.analysis.outcomes[analyzer]?.error?.message;
}

async function columnOf(
  imageAnalyzer: ImageAnalyzer,
  path: string,
  { lang, context }: Readonly<{ lang: Language; context: PictureContext }>,
): Promise<ProviderFinding> {
  const want = comparedAnalyzers.filter((name) => imageAnalyzer.names.includes(name));
  try {
    return { analysis: await imageAnalyzer.analyze({ path, want, langs: [lang], context, isUrgent: true }) };
  } catch (error) {
    return { error: faultOf(error) };
  }
}

async function previewOf([first]: readonly ComparedProvider[], path: string): Promise<Buffer | null> {
  const conversion = { to: 'preview', width: previewWidth, format: 'jpeg' } as const;
  try {
    return (await first?.imageAnalyzer.convert({ path, isUrgent: true, conversion }))?.bytes ?? null;
  } catch (error) {
    faultOf(error);
    return null;
  }
}

/** Describes what is wrong with a picture. @throws the error itself if it is a bug. */
function faultOf(error: unknown): string {
  if (error instanceof ElementError) return `${error.code}: ${error.message}`;
  const refusal = refusalInWords(error);
  if (refusal === null) throw error;
  return refusal;
}
