import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from '../../domain/configuration/configuration.ts';
import { ConfigurationError, readConfiguration } from '../../domain/configuration/read-configuration.ts';
import type { Credentials } from '../credentials.ts';
import { readJsonFile } from '../private-file.ts';
import { projectRoot } from '../../process/project-root.ts';

const USAGE = 2;

/**
 * `npm run policies`: `policies` of the command line (sdk/cli), with the address and the key of the configuration, or those of the local
 * stack. The key goes by the environment alone, because other users can see a command line.
 */
try {
  const words = process.argv.slice(2);
  const access = words.includes('--help') ? {} : accessOf(readConfiguration('setup', process.env));
  run('sdk/build.mjs', ['--if-needed']);
  run('sdk/cli/dist/main.js', ['policies', ...words], access);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigurationError ? USAGE : 1;
}

function run(file: string, argv: readonly string[], env: Record<string, string> = {}): void {
  if ((process.exitCode ?? 0) !== 0) return;
  const program = path.join(projectRoot(), file);
  const { status } = spawnSync(process.execPath, [program, ...argv], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  process.exitCode = status ?? 1;
}

/** A key of the local stack is never sent elsewhere. */
function accessOf(configuration: Configuration<'setup'>): { BASE_URL: string; API_KEY: string } {
  const { API_KEY: key, API_URL: baseUrl, DATA_DIR: dataDir } = configuration;
  if (baseUrl !== null) {
    if (key === null) throw new Error('API_KEY is not set: the key of the environment whose policies these are.');
    return { BASE_URL: baseUrl, API_KEY: key };
  }
  const file = path.join(dataDir, 'credentials.json');
  if (!existsSync(file)) throw new Error(`API_URL is not set, and there is no ${file} of a local stack.`);
  const credentials = readJsonFile(file) as Credentials;
  const own = credentials.keys.find(({ name, environment }) => name === 'full_access' && environment === 'development');
  const chosen = key ?? own?.key;
  if (chosen === undefined) throw new Error(`${file} holds no full_access key of the development environment.`);
  return { BASE_URL: credentials.baseUrl, API_KEY: chosen };
}
