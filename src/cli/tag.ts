import { basename } from 'node:path';
import process from 'node:process';
import { Option } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { ElementError } from '../lib/errors.ts';
import { createLogger } from '../observability/logger.ts';
import { languages, analyzerOptions, openImageAnalyzer, shownValues } from '../analysis/index.ts';
import type { Analysis, AnalyzerName, PictureContext, Language, ImageAnalyzer } from '../analysis/index.ts';
import { refusalInWords } from './faults.ts';
import { describeAnalysis, toJson } from './tag-text.ts';

const want: readonly AnalyzerName[] = [
  'shape',
  'caption',
  'concepts',
  'faces',
  'objects',
  'ocr',
  'colors',
  'embedded',
  'pdq',
  'embedding',
  'nsfw',
  ...shownValues.flatMap(({ analyzer, print }) => (print === undefined ? [] : [analyzer])),
];

type Options = PictureContext & Readonly<{ lang: Language; json?: boolean }>;
type Tagged = Readonly<{ file: string; analysis: Analysis } | { file: string; error: string }>;

/** `vitrine tag`: what the configured analysis sees, without server and database. */
export function addTagCommand(program: Command): void {
  program
    .command('tag <files...>')
    .description('analyze pictures: faces, objects, text (OCR), colors, file metadata')
    .addOption(new Option('--lang <lang>', 'language of the words').choices(languages).default('en'))
    .option('--date <date>', 'date, as context for the caption')
    .option('--event <name>', 'event, as context for the caption')
    .option('--city <name>', 'where it was, for the caption')
    .option('--country <name>', 'where it was, for the caption')
    .option('--json', 'print JSON')
    .action(async (files: string[], { lang, json, ...context }: Options) => {
      const config = readConfig();
      const logger = createLogger(config.logLevel);
      const imageAnalyzer = openImageAnalyzer({ ...analyzerOptions(config), logger });
      const all: Tagged[] = [];
      try {
        for (const file of files) {
          const tagged = await tag(imageAnalyzer, file, { lang, context });
          all.push(tagged);
          if (!json) process.stdout.write(`${toText(tagged, lang)}\n\n`);
        }
      } finally {
        await imageAnalyzer.close();
      }
      if (json) process.stdout.write(`${JSON.stringify(all.map(toPlain), null, 2)}\n`);
      if (all.some((tagged) => 'error' in tagged)) process.exitCode = 1;
    });
}

async function tag(
  imageAnalyzer: ImageAnalyzer,
  file: string,
  { lang, context }: Readonly<{ lang: Language; context: PictureContext }>,
): Promise<Tagged> {
  try {
    return {
      file,
      analysis: await imageAnalyzer.analyze({
        path: file,
        want: want.filter((name) => imageAnalyzer.names.includes(name)),
        langs: [lang],
        context,
        isUrgent: true,
      }),
    };
  } catch (error) {
    if (error instanceof ElementError) return { file, error: `${error.code}: ${error.message}` };
    const refusal = refusalInWords(error);
    if (refusal === null) throw error;
    return { file, error: refusal };
  }
}

function toText(tagged: Tagged, lang: Language): string {
  if ('error' in tagged) return `${tagged.file}\n  ${tagged.error}`;
  const isColored = process.stdout.isTTY && process.stdout.hasColors(2 ** 24);
  return describeAnalysis(basename(tagged.file), tagged.analysis, { lang, isColored });
}

function toPlain(tagged: Tagged): object {
  return 'error' in tagged ? tagged : { file: tagged.file, ...toJson(tagged.analysis) };
}
