import type { Configuration } from '../../domain/configuration/configuration.ts';
import { readConfiguration } from '../../domain/configuration/read-configuration.ts';

/** Runs a command with its configuration, prints its result, and exits with code 1 and a message if it fails. */
export async function runCommand(command: (configuration: Configuration<'setup'>) => Promise<string>): Promise<void> {
  try {
    console.log(await command(readConfiguration('setup', process.env)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
