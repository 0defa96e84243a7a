import { pino, type Logger } from 'pino';
import { describeFailure } from '../domain/failures.ts';
import { loggerOptions } from '../domain/logging.ts';

/**
 * What Node prints by itself (warnings, an error that nobody caught) becomes lines of the log, so that a process prints nothing
 * but JSON. An error that nobody caught still ends the process.
 */
export function logWhatNodePrints(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ failure: describeFailure(warning) }, 'Node warns'));
  process.on('uncaughtException', (error) => {
    logger.fatal({ failure: describeFailure(error) }, 'an error that nobody caught ends the process');
    process.exit(1);
  });
}

/** The last line of a process that did not start. Its configuration, and so its level, may not be known. */
export function exitWithFailure(processName: string, error: unknown): void {
  const logger = pino(loggerOptions('info', processName));
  logger.fatal({ failure: describeFailure(error) }, error instanceof Error ? error.message : String(error));
  // Half-open connections would keep the process alive.
  process.exit(1);
}
