import type { Command } from 'commander';
import { SetupError } from '../lib/errors.ts';

/**
 * Options whose value names something that exists or will be created. Other values may be empty, and so may a
 * formula.
 */
const naming = /<(?:file|folder|role|url)>$/;

/**
 * Refuses empty arguments, which scripts pass for variables that are not set: an empty path would mean the current
 * folder.
 *
 * @throws SetupError that names the argument.
 */
export function refuseEmpty(command: Command): void {
  const { registeredArguments, processedArgs, options } = command;
  const empty = [
    ...registeredArguments
      .filter((argument, i) => argument.name() !== 'formula' && [processedArgs[i]].flat().includes(''))
      .map((argument) => argument.name()),
    ...options
      .filter((option) => naming.test(option.flags) && command.getOptionValue(option.attributeName()) === '')
      .map(({ long }) => String(long)),
  ];
  if (empty.length > 0) throw new SetupError(`The value of ${empty.join(' and of ')} is empty.`);
}
