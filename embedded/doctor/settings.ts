import { existsSync } from 'node:fs';
import path from 'node:path';
import { VARIABLES } from '../../domain/configuration/configuration.ts';
import {
  type EnvironmentVariables,
  examineConfiguration,
  type Examined,
} from '../../domain/configuration/read-configuration.ts';
import type { Credentials } from '../credentials.ts';
import { masterKeysIn, stackOn } from '../data-folder.ts';
import { readJsonFile } from '../private-file.ts';
import { reachableHost } from '../reached-by.ts';

/** What API and worker read, null where a value is missing or cannot be used. */
export type Values = Examined<'worker'> & Examined<'api'>;

export interface Settings {
  /** The data folder of the stack of `npm start` that is examined; null: what the environment names. */
  dataDir: string | null;
  environment: EnvironmentVariables;
  values: Values;
  /** What API or worker would refuse. No sentence has the value of a secret. */
  problems: readonly string[];
  /** Where the API of this machine is reached; null: this environment is a worker's. */
  apiUrl: string | null;
  /** The folder of `FILES=folder` where FILES_DIR is not set. */
  filesDirDefault: string;
}

/**
 * Reads the environment as API and worker do. Where it names neither PostgreSQL nor Temporal and a stack of `npm start` runs on
 * DATA_DIR, it is that stack's.
 */
export function readSettings(environment: EnvironmentVariables, filesDirDefault: string): Settings {
  const isNamed = [environment['DATABASE_URL'], environment['TEMPORAL_ADDRESS']].some((value) => (value ?? '') !== '');
  const folder = path.resolve(environment['DATA_DIR'] ?? VARIABLES.DATA_DIR.default);
  if (!isNamed && stackOn(folder) !== null && existsSync(path.join(folder, 'credentials.json'))) {
    return settingsOfStack(environment, folder);
  }
  const api = examineConfiguration('api', environment);
  const worker = examineConfiguration('worker', environment);
  const values = { ...worker.values, ...api.values };
  // An API may name the mail server that it keeps actions from, without the settings that send mail.
  const sendsNoMail = values.MAIL_FROM === null && values.SMTP_USER === null && values.SMTP_PASSWORD === null;
  const problems = [...api.problems, ...worker.problems].filter(
    (problem) => !(sendsNoMail && problem === 'SMTP_ADDRESS needs MAIL_FROM.'),
  );
  const isOfWorker = values.HEALTH_ADDRESS !== null && (environment['PORT'] ?? '') === '';
  const apiUrl = isOfWorker ? null : `http://${reachableHost(values.HOST ?? '0.0.0.0')}:${values.PORT ?? 8080}`;
  return { dataDir: null, environment, values, problems: [...new Set(problems)], apiUrl, filesDirDefault };
}

function settingsOfStack(given: EnvironmentVariables, folder: string): Settings {
  const { databaseUrl, temporalAddress, baseUrl } = readJsonFile(path.join(folder, 'credentials.json')) as Credentials;
  const masterKeys = given['MASTER_KEYS'] ?? masterKeysIn(folder) ?? '';
  const ofStack = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, MASTER_KEYS: masterKeys };
  const environment = { ...given, ...ofStack };
  const { values: embedded, problems } = examineConfiguration('embedded', environment);
  const values = {
    ...examineConfiguration('worker', environment).values,
    ...examineConfiguration('api', environment).values,
    ...embedded,
  };
  const filesDirDefault = path.join(folder, 'files');
  return { dataDir: folder, environment, values, problems, apiUrl: baseUrl, filesDirDefault };
}
