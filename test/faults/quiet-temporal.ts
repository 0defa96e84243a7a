import { DefaultLogger, GracefulShutdownPeriodExpiredError, type LogEntry, Runtime } from '@temporalio/worker';

/** Keeps the SDK from printing the failures that these tests make on purpose. Call it before the first connection of a file. */
export function quietTemporal(): void {
  const write = ({ message, meta }: LogEntry): void => {
    if (!(meta?.['error'] instanceof GracefulShutdownPeriodExpiredError)) console.error(message, meta);
  };
  Runtime.install({ logger: new DefaultLogger('ERROR', write) });
}
