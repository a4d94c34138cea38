// npm run measure:vision [FOLDER]: what the configured analyzers find in pictures with known facts, as one Markdown table.
// The folder has a manifest.json like that of ../shared/corpus. AI_PROVIDER and its related variables choose the providers,
// so `AI_PROVIDER=local npm run measure:vision` measures the models of models.json. --only selects one part: text, found or
// similar.
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { analyzerOptions, openImageAnalyzer } from '../../src/analysis/index.ts';
import type { ImageAnalyzer } from '../../src/analysis/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import {
  analyze,
  measureCaptions,
  measureFaces,
  measureKeywords,
  measureNsfw,
  measureObjects,
  measureText,
} from './found.ts';
import type { Found, Row } from './found.ts';
import { measureDuplicates, measureEmbedding } from './similar.ts';
import { readTruths } from './truths.ts';

const usage = `Usage: npm run measure:vision -- [FOLDER] [--only text|found|similar]

Prints what the configured analyzers find in the pictures of a folder with known facts (by default ../shared/corpus).
`;
const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.help === true) {
  process.stdout.write(usage);
  process.exit();
}
const folder = resolve(positionals[0] ?? '../shared/corpus');
const truths = readTruths(folder);
const config = readConfig();
const imageAnalyzer = openImageAnalyzer({ ...analyzerOptions(config), logger: createLogger(config.logLevel) });

async function measureFound(): Promise<Row[]> {
  const found: Found[] = [];
  const want = ['faces', 'objects', 'concepts', 'caption', 'ocr', 'nsfw'] as const;
  for (const photograph of truths.photographs) {
    found.push({ photograph, facts: await analyze(imageAnalyzer, join(folder, photograph.file), want) });
  }
  return [measureFaces, measureObjects, measureKeywords, measureCaptions, measureNsfw].flatMap((each) => each(found));
}

const parts: Readonly<Record<string, () => Promise<Row[]>>> = {
  text: () => measureText(imageAnalyzer, folder, truths.texts),
  found: measureFound,
  similar: async () => [
    ...(await measureEmbedding(imageAnalyzer, folder, truths)),
    ...(await measureDuplicates(folder, truths.originals, truths.variants)),
  ],
};

/** The source of each result: `builtin`, or a provider with its model. */
function describeOrigins({ origins }: ImageAnalyzer): string {
  const others = Object.entries(origins).filter(([, { analyzer }]) => analyzer !== 'builtin');
  return others.length === 0 ? 'builtin' : others.map(([name, { analyzer }]) => `${name} ${analyzer}`).join(', ');
}

const mostNames = 4;

function namesOf(fails: readonly string[]): string {
  const rest = fails.length - mostNames;
  return fails.slice(0, mostNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

try {
  const chosen = Object.entries(parts).filter(([name]) => values.only === undefined || name === values.only);
  process.stdout.write(`Measured: ${describeOrigins(imageAnalyzer)}\n\n| what | result | fails on |\n| - | - | - |\n`);
  for (const [, measurePart] of chosen) {
    for (const { what, value, fails } of await measurePart()) {
      process.stdout.write(`| ${what} | ${value} | ${namesOf(fails)} |\n`);
    }
  }
} finally {
  await imageAnalyzer.close();
}
