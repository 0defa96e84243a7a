import { SendFence } from '../adapters/send-fence.ts';
import type { InvocationDependencies } from '../dependencies.ts';

/**
 * The fence of a call that is given up after `lastsMs`, and sooner where its process shows no sign of life. Make it before the claim. Half of
 * the heartbeat time-out: the heartbeat before the pause may be one interval old, and the next one is on its way for a while.
 */
export function dispatchFence(
  { watchdog, heartbeatTimeoutMs }: Pick<InvocationDependencies, 'watchdog' | 'heartbeatTimeoutMs'>,
  lastsMs: number,
): SendFence {
  return new SendFence(watchdog.pauses, {
    pausedMsMax: heartbeatTimeoutMs / 2,
    lastsMs,
  });
}
