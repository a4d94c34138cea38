import process from 'node:process';
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { writeLine } from '../output.ts';
import { findAnalysis } from './analysis.ts';
import { findDatabase } from './database.ts';
import { describe } from './finding.ts';
import { findApi, findMeilisearch, findRedis } from './services.ts';
import { findDisk, findMedia, findRuntime } from './system.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check what is running, reachable and configured, and how to fix faults')
    .option('--json', 'print JSON')
    .action(async ({ json }: Readonly<{ json?: boolean }>) => {
      const config = readConfig();
      const findings = (
        await Promise.all([
          findRuntime(config),
          findDatabase(config),
          findRedis(config.redisUrl),
          findMeilisearch(config.meili),
          findApi(config),
          findAnalysis(config.ai),
          findMedia(config),
          findDisk(config),
        ])
      ).flat();
      writeLine(findings, { json, text: () => findings.map(describe).join('\n') });
      if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
    });
}
