import process from 'node:process';
import { Option } from 'commander';
import type { Command } from 'commander';
import { resources } from '../../catalog/index.ts';
import { onDuplicates } from '../../operations/index.ts';
import { interruptedCode, interruptible } from '../interrupt.ts';
import { writeLine } from '../output.ts';
import { createProgress } from '../progress.ts';
import { withSession } from '../session.ts';
import { remoteNames } from './remote/names.ts';
import { runImport } from './run.ts';
import type { ImportOptions } from './run.ts';
import { langOptions } from './survey.ts';
import { describeImport } from './summary.ts';

type Options = ImportOptions & Readonly<{ json?: boolean }>;

/** `vitrine import`: stores files, folders of files, or the records in a file. */
export function addImportCommand(program: Command): void {
  program
    .command('import <source...>')
    .description(
      'store pictures and videos, or folders of them, or the records of a .json, .ndjson, .csv or .tsv file; repeat it to continue',
    )
    .option('--tenant <name>', 'tenant to store for', 'default')
    .addOption(
      new Option('--existing <how>', 'what to do with existing ids').choices(['skip', 'patch']).default('skip'),
    )
    .addOption(
      new Option(
        '--on-duplicate <rule>',
        'what to do with pictures that already exist; default: the rule of the tenant',
      ).choices(onDuplicates),
    )
    .addOption(
      new Option(
        '--lang <lang>',
        'language of the texts, or each for the language of each record; default: detected',
      ).choices(langOptions),
    )
    .option('--id-prefix <text>', 'for pictures: begin the ids with this, for example the name of a card and a colon')
    .addOption(
      new Option('--resource <kind>', 'kind of the records; default: detected by file names').choices(resources),
    )
    .addOption(
      new Option('--from <catalog>', 'the source is the address of another catalog, imported through its API').choices(
        remoteNames,
      ),
    )
    .option('--key-file <file>', 'with --from: a file with a key of that catalog')
    .option('--into <folder>', 'with --from: where its originals are stored, below a media root')
    .option('--respect-locks', 'with --existing patch: keep the values of locked fields')
    .option('--ignore-unknown', 'ignore unknown fields instead of refusing the file')
    .option('--no-fetch', 'read no sources: each record has its analysis, as in exports of the format analyzed')
    .option('--wait', 'also wait until the pictures are analyzed')
    .option('--json', 'print JSON')
    .action(async (sources: string[], { json, ...options }: Options) => {
      const progress = createProgress({ json });
      const summary = await interruptible((signal) =>
        withSession((session) => runImport({ session, progress, signal }, sources, options), { creates: true }),
      );
      writeLine(summary, { json, text: () => describeImport(summary, options.tenant) });
      if (summary.failed > 0) process.exitCode = 1;
      if (summary.interrupted !== null) process.exitCode = interruptedCode;
    });
}
