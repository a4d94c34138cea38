import { basename } from 'node:path';
import process from 'node:process';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { aiProviders, withProvider } from '../config/ai-config.ts';
import type { AiProvider } from '../config/ai-config.ts';
import { readConfig } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { ElementError, SetupError } from '../lib/errors.ts';
import { createLogger } from '../observability/logger.ts';
import { languages, analyzerOptions, openImageAnalyzer, shownValues } from '../analysis/index.ts';
import type { Analysis, AnalyzerName, PictureContext, Language, ImageAnalyzer } from '../analysis/index.ts';
import { compareProviders } from './compare-providers.ts';
import { readersGone } from './interrupt.ts';
import { checkFolderOf } from './output-file.ts';
import { refusalInWords } from '../lib/system-refusals.ts';
import { pictureFilesOf } from './picture-files.ts';
import { describeAnalysis, toJson } from './tag-text.ts';
import { printable } from './printable.ts';
import { toPictureDate } from './values.ts';

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

type Options = PictureContext &
  Readonly<{ lang: Language; json?: boolean; provider?: readonly AiProvider[]; page: string }>;
type Tagged = Readonly<{ file: string; analysis: Analysis } | { file: string; error: string }>;

/** `vitrine tag`: shows what the configured analysis finds, without server and database. */
export function addTagCommand(program: Command): void {
  program
    .command('tag <paths...>')
    .description('analyze pictures, or all pictures of folders: faces, objects, text (OCR), colors, file metadata')
    .addOption(new Option('--lang <lang>', 'language of the words').choices(languages).default('en'))
    .option('--date <date>', 'date, as context for the caption', toPictureDate)
    .option('--event <name>', 'event, as context for the caption')
    .option('--city <name>', 'city, as context for the caption')
    .option('--country <name>', 'country, as context for the caption')
    .option('--provider <names>', `one of ${aiProviders.join(', ')}; two with a comma compare a folder`, toProviders)
    .option('--page <file>', 'write a page that compares two providers on at most 200 pictures', 'comparison.html')
    .option('--json', 'print JSON')
    .action(async (paths: string[], options: Options, command: Command) => {
      const { lang, json, provider: providers = [], page, ...context } = options;
      const config = readConfig();
      if (providers.length < 2 && command.getOptionValueSource('page') === 'cli')
        throw new SetupError('--page needs two providers to compare, such as --provider builtin,local.');
      if (providers.length > 1) return compareOn(paths, config, { providers, lang, context, page });
      const files = (await Promise.all(paths.map(pictureFilesOf))).flat();
      const imageAnalyzer = openAnalyzer(config, providers[0]);
      const all: Tagged[] = [];
      const ending = readersGone();
      try {
        for (const file of files) {
          if (ending.aborted) break;
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

/**
 * Parses `--provider A,B`, or `--provider A --provider B`. @throws InvalidArgumentError for unknown providers, and
 * for more than two.
 */
function toProviders(text: string, before: readonly AiProvider[] = []): AiProvider[] {
  const names = [...before, ...text.split(',')].map((name) => aiProviders.find((each) => each === name.trim()));
  const known = names.filter((name) => name !== undefined);
  if (known.length === names.length && new Set(known).size === known.length && known.length <= 2) return known;
  throw new InvalidArgumentError(`Give one or two of ${aiProviders.join(', ')}, with a comma between them.`);
}

function openAnalyzer(config: Config, provider: AiProvider | undefined): ImageAnalyzer {
  const options = analyzerOptions(config);
  const ai = provider === undefined ? options.ai : withProvider(options.ai, provider);
  if (provider === 'huggingface' && ai.hfToken === undefined && ai.hfEndpoint === undefined) {
    throw new SetupError('--provider huggingface needs a token: set HF_TOKEN, or HF_ENDPOINT to your own server.');
  }
  return openImageAnalyzer({ ...options, ai, logger: createLogger(config.logLevel) });
}

type Comparison = Readonly<{ providers: readonly AiProvider[]; lang: Language; context: PictureContext; page: string }>;

async function compareOn(
  [folder, ...more]: readonly string[],
  config: Config,
  { providers, ...comparison }: Comparison,
): Promise<void> {
  if (folder === undefined || more.length > 0) throw new SetupError('Two providers are compared on one folder.');
  await checkFolderOf(comparison.page);
  const opened = providers.map((name) => ({ name, imageAnalyzer: openAnalyzer(config, name) }));
  try {
    const { count, failures } = await compareProviders(opened, { ...comparison, folder });
    process.stdout.write(`${comparison.page} shows ${count} pictures\n`);
    if (failures.length > 0) throw new SetupError(`Failed in each of them:\n  ${failures.join('\n  ')}`);
  } finally {
    await Promise.all(opened.map(({ imageAnalyzer }) => imageAnalyzer.close()));
  }
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
  if ('error' in tagged) return printable(`${tagged.file}\n  ${tagged.error}`);
  const isColored = process.stdout.isTTY && process.stdout.hasColors(2 ** 24);
  return describeAnalysis(basename(tagged.file), tagged.analysis, { lang, isColored });
}

function toPlain(tagged: Tagged): object {
  return 'error' in tagged ? tagged : { file: tagged.file, ...toJson(tagged.analysis) };
}
