import type { EventEmitter } from 'node:events';

/** A thread that fails without a job fails its pool, which without a listener ends the process. */
export function outliveThreads<Pool extends EventEmitter>(threads: Pool, what: string): Pool {
  return threads.on('error', (error: unknown) => {
    process.emitWarning(`a thread of the ${what} failed: ${error instanceof Error ? error.message : String(error)}`);
  });
}
