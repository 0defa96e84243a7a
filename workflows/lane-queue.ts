import { condition, defineSignal, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { holderOf, isWithoutPlace, type NoPlace } from '../domain/in-flight.ts';
import { PLACE_FREE_SIGNAL } from '../temporal/in-flight/place-free.ts';
import { sqlActivities } from './activity-options.ts';

const { leaveQueue } = sqlActivities({ leaveQueue: 'leaves the queue for a place' });

const placeFree = defineSignal(PLACE_FREE_SIGNAL);

/** When a wait for a place ends without one. Without limits it lasts until there is one. */
export interface WaitLimits {
  /** A time of `Date.now()`. The place is asked for a last time then. */
  untilMs?: number;
  isOver?: () => boolean;
  /** The workflow waits for something else as well, which its details in the Temporal UI say. */
  isAside?: boolean;
}

/**
 * A workflow's waits for places in flight. A waiting workflow holds no worker's slot and costs nothing: it is signalled when it was
 * granted a place, again and again until it claims it. Make one for a workflow, at its start, because it handles the signal.
 */
export class LaneQueue {
  /** How often it was signalled. Several may wait at once, and the signal does not say for which of them it is: all of them ask again. */
  private signals = 0;
  private reads = 0;

  constructor() {
    setHandler(placeFree, () => {
      this.signals += 1;
    });
  }

  /** Asks until the answer is not `NoPlace`. Null where the wait ended without a place; the position in the queue is kept. */
  async ask<T>(what: string, ask: () => Promise<T | NoPlace>, limits: WaitLimits = {}): Promise<T | null> {
    const { untilMs = Infinity, isOver = () => false, isAside = false } = limits;
    for (;;) {
      const before = this.signals;
      const answer = await ask();
      if (!isWithoutPlace(answer)) return answer;
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0 || isOver()) return null;
      const waits = `queued behind other ${what} of its workspace`;
      if (!isAside) setCurrentDetails(waits);
      await condition(() => this.signals > before || isOver(), Math.min(answer.lookAgainMs, leftMs), {
        summary: waits,
      });
      if (isOver()) return null;
    }
  }

  /** The same where nothing but a place ends the wait. */
  async turn<T>(what: string, work: () => Promise<T | NoPlace>, limits: Pick<WaitLimits, 'isAside'> = {}): Promise<T> {
    return (await this.ask(what, work, limits)) as T;
  }

  /**
   * The same for a read at a provider, whose place it names. A read that ends without one leaves the queue. What `read` throws is
   * thrown: its place is left to its lease, because the read may still be under way.
   */
  async read<T>(
    tenant: { workspaceId: string; environmentId: string },
    read: (place: { holder: string }) => Promise<T | NoPlace>,
    limits: WaitLimits = {},
  ): Promise<T | null> {
    const holder = holderOf(workflowInfo().workflowId, ++this.reads);
    const answer = await this.ask('reads at providers', () => read({ holder }), limits);
    if (answer === null)
      await leaveQueue({ workspaceId: tenant.workspaceId, environmentId: tenant.environmentId }, holder);
    return answer;
  }
}
