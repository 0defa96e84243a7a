import { describeFailure } from '../../domain/failures.ts';
import type { Call } from './exchange.ts';

/** Well below the minute after which clients give up on a silent call. */
const PROGRESS_INTERVAL_MS = 10_000;

/** Progress of one call, for a client that asks. The numbers count notifications: nobody knows how long a call takes. */
export class Progress {
  private readonly call: Call;
  private told = 0;

  constructor(call: Call) {
    this.call = call;
  }

  tell(message: string): void {
    const { context, exchange } = this.call;
    const progressToken = context.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    const params = { progressToken, progress: ++this.told, message };
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
      exchange.runner.deps.logger.debug({ failure: describeFailure(error) }, 'a notification of progress was not sent');
    });
  }

  /** Notifies at intervals while the work runs. */
  async during<T>(message: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      this.tell(`${message} (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
    }, PROGRESS_INTERVAL_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }
}
