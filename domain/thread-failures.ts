import type { EventEmitter } from 'node:events';

/**
 * A thread that fails with no job in hand (its file does not load; its memory ended just as its deadline did) fails its pool: without a
 * listener that ends the whole process. The job that waits for a thread ends by its own deadline. The warning becomes a line of the log.
 */
export function outliveThreads<Pool extends EventEmitter>(threads: Pool, what: string): Pool {
  return threads.on('error', (error: unknown) => {
    process.emitWarning(`a thread of the ${what} failed: ${error instanceof Error ? error.message : String(error)}`);
  });
}
