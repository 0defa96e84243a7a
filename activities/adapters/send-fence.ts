import type { Measured, PauseWatch } from './pause-watch.ts';

export interface SendFenceLimits {
  /** How long the process may stand still, in all. Who waits for its signs of life must wait longer than that. */
  pausedMsMax: number;
  /** After this time the call is given up, whether its process shows signs of life or not. */
  lastsMs: number;
}

/**
 * Keeps a call from being sent after others may have given it up and told people so. Make it before the call is claimed: from
 * then on every pause of the process counts. Ask it in the same turn of the event loop as the write.
 */
export class SendFence {
  private readonly measured: () => Measured;
  private readonly limits: SendFenceLimits;

  constructor(pauses: Pick<PauseWatch, 'measure'>, limits: SendFenceLimits) {
    this.measured = pauses.measure();
    this.limits = limits;
  }

  /** Why nothing may be sent any more; null while the call may be sent. */
  closedBy(): string | null {
    const { pausedMs, elapsedMs } = this.measured();
    const { pausedMsMax, lastsMs } = this.limits;
    if (pausedMs > pausedMsMax) {
      return `the worker was paused for ${Math.round(pausedMs)} ms after it took up the call, which may have been given up meanwhile`;
    }
    if (elapsedMs <= lastsMs) return null;
    return `the call was not sent within ${lastsMs} ms after it was taken up, and may have been given up meanwhile`;
  }
}
