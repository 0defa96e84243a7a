import { once } from 'node:events';
import path from 'node:path';
import { pino, type Logger } from 'pino';
import { activityLogFields } from '../activities/log-context.ts';
import { CONSOLE_PATH, CONSOLE_START_PATH } from '../domain/console-links.ts';
import type { Configuration } from '../domain/configuration/configuration.ts';
import { ConfigurationError, readConfiguration } from '../domain/configuration/read-configuration.ts';
import { isBlocked } from '../domain/egress.ts';
import { loggerOptions } from '../domain/logging.ts';
import { MasterKeysError } from '../db/secrets/vault.ts';
import { SWEEP_WORKFLOW } from '../temporal/maintenance/sweep-maintenance.ts';
import { keyOf } from './credentials.ts';
import { DataFolder, isDefaultFolder } from './data-folder.ts';
import { DEMO_ACTION } from './demo.ts';
import { collectWhenIdle } from '../process/idle-collector.ts';
import { LOOPBACK } from './ports.ts';
import { shellWord } from './shell-word.ts';
import { openLogStream } from '../process/process-log.ts';
import { startStack, type Stack } from './stack.ts';
import { StartError } from './start-error.ts';
import { DEV_NAMESPACE } from './temporal.ts';

/** The exit code that shells report for a program ended by Ctrl-C. */
const SIGNALLED_EXIT_CODE = 130;
const PARENT_CHECK_INTERVAL_MS = 500;

export interface MainOptions {
  /** The npm that started this process; null if npm did not. */
  npmPid: number | null;
}

/** `npm start`, once everything is installed and built. Ends the process. */
export async function main(options: MainOptions): Promise<void> {
  // The reader of our output may be gone, and an unhandled stream error would interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.exit(await run(options));
}

async function run({ npmPid }: MainOptions): Promise<number> {
  const startedAt = performance.now();
  let folder: DataFolder | null = null;
  let dataDir: string | null = null;
  const signals = new Signals(npmPid);
  try {
    const configuration = readConfiguration('embedded', process.env);
    dataDir = path.resolve(configuration.DATA_DIR);
    folder = await DataFolder.open(dataDir);
    const log = openLogStream({ dest: folder.logFile, mode: 0o600, sync: false });
    await once(log, 'ready'); // a process that exits before its log is open would exit with the log's own error
    const logger = pino({ ...loggerOptions(configuration.LOG_LEVEL, 'embedded'), mixin: activityLogFields }, log);
    const starting = startStack(configuration, folder, logger);
    const stack = await Promise.race([starting, signals.first.then(() => null)]);
    if (stack === null) {
      // No request was accepted yet: the servers are signalled to end as this process exits.
      console.log('\nStopped before it was ready.');
      return SIGNALLED_EXIT_CODE;
    }
    collectWhenIdle();
    printReady(stack, configuration, folder, performance.now() - startedAt);
    const failure = await Promise.race([signals.first.then(() => null), stack.failed]);
    console.log(failure === null ? '\nStopping …' : `${failure} Stopping …`);
    await stopLogged(stack, logger);
    log.flushSync();
    console.log('Stopped.');
    return failure === null ? 0 : 1;
  } catch (error) {
    console.error(explain(error, dataDir, folder));
    return 1;
  } finally {
    folder?.unlock();
  }
}

async function stopLogged(stack: Stack, logger: Logger): Promise<void> {
  logger.info('stopping');
  try {
    await stack.stop();
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
    throw error;
  }
  logger.info('stopped');
}

/**
 * Later signals change nothing: a terminal's Ctrl-C reaches us twice if npm forwards it too, and the grace period is short. npm
 * forwards SIGINT and SIGTERM. A killed npm cannot, so its end counts as a signal. The end of another parent does not:
 * a shell may end while its background processes continue.
 */
class Signals {
  readonly first: Promise<void>;

  constructor(npmPid: number | null) {
    this.first = new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
      if (npmPid === null) return;
      const hasParent = setInterval(() => {
        if (process.ppid !== npmPid) resolve();
      }, PARENT_CHECK_INTERVAL_MS);
      hasParent.unref();
    });
  }
}

/** Names the folder, which is what the reader inspects or changes next. */
function explain(error: unknown, dataDir: string | null, folder: DataFolder | null): string {
  if (error instanceof ConfigurationError) return error.message;
  if (error instanceof StartError) return `${error.message}\nDATA_DIR is ${dataDir}.`;
  const where = folder === null ? '' : `\nThe logs are in ${folder.path} (DATA_DIR).`;
  if (error instanceof MasterKeysError) return `MASTER_KEYS (or master-keys in DATA_DIR): ${error.message}${where}`;
  if (!(error instanceof Error)) return `The stack did not start: ${String(error)}${where}`;
  const causes = error instanceof AggregateError ? error.errors.map(String) : [];
  return [`The stack did not start: ${error.message}`, ...causes].join('\n') + where;
}

function printReady(stack: Stack, configuration: Configuration<'embedded'>, folder: DataFolder, startMs: number): void {
  const { baseUrl, temporalUiUrl, temporalAddress } = stack.credentials;
  const key = keyOf(stack.credentials, 'development', 'agent');
  const credentials = shorter(
    path.relative(process.cwd(), folder.file('credentials.json')),
    folder.file('credentials.json'),
  );
  const demoIsBlocked = isBlocked(LOOPBACK, configuration.EGRESS_ALLOW);
  const call = [
    `curl -sS -X POST ${baseUrl}/api/v2/actions/${DEMO_ACTION}/invoke`,
    `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`,
    `-d '{"input":{"message":"hello"}}'`,
  ].join(' ');
  const { email } = stack.credentials.owner;
  const dataDir = isDefaultFolder(folder.path) ? '' : `DATA_DIR=${shellWord(folder.path)} `;
  const command = `eval "$(${dataDir}npm run --silent env)"`;
  const lines = [
    `Ready in ${(startMs / 1000).toFixed(1)} s.`,
    '',
    `  API            ${baseUrl}`,
    `  API reference  ${baseUrl}/reference`,
    `  Documentation  ${configuration.DOCS_URL ?? baseUrl}${configuration.DOCS_BASE}/docs`,
    `  Console        ${configuration.PUBLIC_URL ?? baseUrl}${CONSOLE_START_PATH}`,
    `  First steps    ${configuration.PUBLIC_URL ?? baseUrl}${CONSOLE_PATH}/welcome`,
    `  Temporal       ${temporalUiUrl === null ? temporalAddress : defaultViewOf(temporalUiUrl)}`,
    `  Data           ${folder.path} (DATA_DIR)`,
    `  Keys           ${credentials}`,
    '',
    demoIsBlocked
      ? 'EGRESS_ALLOW keeps actions from the loopback: this call to the demo target on this machine will be refused.'
      : 'Actions may call programs on this machine (EGRESS_ALLOW). This calls the demo target:',
    '',
    call,
    '',
    'In another shell, in this folder, this sets BASE, AGENT (a key that only invokes), OPERATOR (a key that defines and decides) and PUBLISHER (a key with every scope):',
    '',
    command,
    '',
    `In the console sign in as ${email}. The password is "owner" in the file of the keys; after the command above:`,
    '',
    'echo "$OWNER_PASSWORD"',
    '',
    'Ctrl-C stops everything; what is in flight goes on at the next start.',
  ];
  console.log(lines.join('\n'));
}

function defaultViewOf(temporalUiUrl: string): string {
  const query = encodeURIComponent(`WorkflowType != "${SWEEP_WORKFLOW}"`);
  return `${temporalUiUrl}/namespaces/${DEV_NAMESPACE}/workflows?query=${query}`;
}

function shorter(one: string, other: string): string {
  return one.length < other.length ? one : other;
}
