import type { InvocationRef } from '../../domain/refs.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { type Advanced, advanceInvocation } from './advance-invocation.ts';

/**
 * Runs plain invocations in the process that admitted them: one that has nothing to wait for needs no workflow. Anything but a clean
 * end begins one. A process that is killed meanwhile leaves a row in the outbox of starts, whose workflow goes on from the record.
 */
export class PlainInvocations {
  readonly #advance: (ref: InvocationRef) => Promise<Advanced>;
  readonly #running = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(deps: InvocationDependencies) {
    this.#advance = advanceInvocation(deps);
  }

  /** Takes the invocation as far as it goes without a wait. Returns true where it has come to a clean end, and needs no workflow. */
  readonly run = async (ref: InvocationRef): Promise<boolean> => {
    if (this.#isStopping) return false;
    const running = this.#advance(ref);
    this.#running.add(running);
    try {
      return isCleanEnd(await running);
    } finally {
      this.#running.delete(running);
    }
  };

  /** Begins no further one, and waits for those under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#running);
  }
}

function isCleanEnd(advanced: Advanced): boolean {
  if (advanced.next === 'ended' || advanced.next === 'withdrawn') return true;
  if (advanced.next !== 'sent' || advanced.dispatched.seen !== 'settled') return false;
  const { status } = advanced.dispatched.state;
  return status !== 'unknown' && status !== 'dispatching';
}
