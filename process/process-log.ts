import { destination, pino, type Logger, type LoggerOptions } from 'pino';
import { describeFailure } from '../domain/failures.ts';
import { loggerOptions } from '../domain/logging.ts';

type LogStream = ReturnType<typeof destination>;

/** Lines that cannot be written are held up to this size. Further ones are dropped. */
const LOG_HELD_BYTES_MAX = 4_194_304;

/** The log of a process, to its standard output. */
export function openLog(options: LoggerOptions): Logger {
  return pino(options, openLogStream({ fd: process.stdout.fd, sync: true }));
}

/**
 * A log that cannot be written, on a full disk, ends nothing. Without a listener its error is one that nobody caught; then what pino
 * does on exit writes again and again, waiting in between, and the process neither serves nor ends nor hears a signal.
 */
export function openLogStream(
  options: { fd: number; sync: true } | { dest: string; mode: number; sync: false },
): LogStream {
  const log = destination({ ...options, maxLength: LOG_HELD_BYTES_MAX });
  return log.on('error', () => {
    log.flushSync = () => undefined;
  });
}

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
  const logger = openLog(loggerOptions('info', processName));
  logger.fatal({ failure: describeFailure(error) }, error instanceof Error ? error.message : String(error));
  // Half-open connections would keep the process alive.
  process.exit(1);
}
