import process from 'node:process';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { describeFinding, examine } from '../doctor/index.ts';
import { writeLine } from './output.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check what is running, reachable and configured, and say how to fix problems')
    .option('--json', 'print JSON')
    .action(async ({ json }: Readonly<{ json?: boolean }>) => {
      const findings = await examine(readConfig());
      writeLine(findings, { json, text: () => findings.map(describeFinding).join('\n') });
      if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
    });
}
