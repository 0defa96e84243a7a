import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from '../../domain/configuration/configuration.ts';
import { ConfigurationError, readConfiguration } from '../../domain/configuration/read-configuration.ts';
import type { Credentials } from '../credentials.ts';
import { type ApiAccess, ApiError } from '../policies/policy-api.ts';
import { EXIT, runPolicies } from '../policies/run-policies.ts';
import { readJsonFile } from '../private-file.ts';

/** `npm run policies`: approval policies from files. The key comes only from the environment, because other users can see a command line. */
try {
  const configuration = readConfiguration('setup', process.env);
  process.exitCode = await runPolicies({
    argv: process.argv.slice(2),
    access: (baseUrl) => accessOf(configuration, baseUrl),
    print: (text) => console.log(text),
    printError: (text) => console.error(text),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigurationError ? EXIT.usage : EXIT.notOk;
}

/** A key of the local stack is never sent elsewhere. */
function accessOf(configuration: Configuration<'setup'>, named: string | undefined): ApiAccess {
  const { API_KEY: key, DATA_DIR: dataDir } = configuration;
  const baseUrl = named?.replace(/\/+$/, '') ?? configuration.API_URL;
  if (baseUrl !== null) {
    if (!URL.canParse(baseUrl)) throw new ApiError(`${baseUrl} is no URL.`);
    if (key === null) throw new ApiError('API_KEY is not set: the key of the environment whose policies these are.');
    return { baseUrl, key };
  }
  const file = path.join(dataDir, 'credentials.json');
  if (!existsSync(file)) throw new ApiError(`API_URL is not set, and there is no ${file} of a local stack.`);
  const credentials = readJsonFile(file) as Credentials;
  const own = credentials.keys.find(({ name, environment }) => name === 'full_access' && environment === 'development');
  const chosen = key ?? own?.key;
  if (chosen === undefined) throw new ApiError(`${file} holds no full_access key of the development environment.`);
  return { baseUrl: credentials.baseUrl, key: chosen };
}
