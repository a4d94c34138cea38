import process from 'node:process';
import type { Command } from 'commander';
import { interruptedCode, interruptible } from '../interrupt.ts';
import { writeLine } from '../output.ts';
import { createProgress } from '../progress.ts';
import { openInstallation } from './installation.ts';
import { moveTenant } from './move.ts';
import type { Moved } from './move.ts';

type Options = Readonly<{
  from: string;
  fromKeyFile: string;
  to: string;
  toKeyFile: string;
  state: string;
  json?: boolean;
}>;

/**
 * `vitrine tenant move`: copies a tenant's records and their analyses from one installation to another through their
 * APIs.
 */
export function addMoveCommand(tenant: Command): void {
  tenant
    .command('move')
    .description(
      'copy all records of a tenant, with their analyses, to a tenant of another installation, through its API; repeat ' +
        'it to continue',
    )
    .requiredOption('--from <address>', 'address of the installation that has the records')
    .requiredOption('--from-key-file <file>', 'a file with a key of that tenant; the role editor is enough')
    .requiredOption('--to <address>', 'address of the installation that receives them')
    .requiredOption('--to-key-file <file>', 'a file with a key of the other tenant; it needs the role admin')
    .option('--state <file>', 'file for the progress; removed at the end', 'tenant-move.json')
    .option('--json', 'print JSON')
    .action(async ({ json, ...options }: Options) => {
      const progress = createProgress({ json });
      const from = await openInstallation(options.from, options.fromKeyFile);
      const to = await openInstallation(options.to, options.toKeyFile);
      const moved = await interruptible((signal) => moveTenant({ from, to, state: options.state, progress, signal }));
      writeLine(moved, { json, text: () => describe(moved) });
      if (moved.isInterrupted) process.exitCode = interruptedCode;
      else if (!moved.isComplete) process.exitCode = 1;
    });
}

/** Maximum failed records that are listed. */
const shownFailures = 20;

function describe({ counts, failures, failed, isInterrupted, isComplete }: Moved): string {
  const lines = Object.entries(counts).map(([kind, { source, target, created, skipped }]) => {
    const compared = source === null ? '' : `; ${source} there, ${target} here`;
    return `${kind}: ${created} copied, ${skipped} were there already${compared}`;
  });
  const more = failed > shownFailures ? [`  … and ${failed - shownFailures} more`] : [];
  const faults = failures.slice(0, shownFailures).map(({ ref, code, msg }) => `  ✗ ${ref}: ${code}: ${msg}`);
  const end = isInterrupted
    ? 'Stopped. Repeat the command to continue.'
    : isComplete
      ? 'Everything was copied, except for keys, saved formulas, ordered collections, verdicts, operations and uploaded files.'
      : 'The counts differ. Repeat the command: records may have been written meanwhile.';
  return [...lines, ...faults, ...more, end].join('\n');
}
