import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Configuration } from '../../domain/configuration/configuration.ts';
import { readConfiguration } from '../../domain/configuration/read-configuration.ts';

type Given<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>;

/**
 * Runs a command with its configuration and arguments, prints its result, and exits with code 1 and a message if it fails. `--help` prints
 * the usage and runs nothing; so does an argument that the command does not take, as a failure.
 */
export async function runCommand<T extends ParseArgsConfig>(
  usage: string,
  args: T,
  command: (configuration: Configuration<'setup'>, given: Given<T>) => Promise<string>,
): Promise<void> {
  try {
    console.log(isHelpAsked() ? usage : await command(readConfiguration('setup', process.env), given(usage, args)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

function isHelpAsked(): boolean {
  return process.argv.slice(2).some((word) => word === '--help' || word === '-h');
}

function given<T extends ParseArgsConfig>(usage: string, args: T): Given<T> {
  try {
    return parseArgs(args);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`, { cause: error });
  }
}
