import { heartbeatIntervalMs } from '../domain/heartbeats.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { beat } from './progress.ts';

/** Does the work of an activity and tells Temporal meanwhile that its worker lives. */
export async function withHeartbeats<Result>(
  { heartbeatTimeoutMs }: Pick<ActivityDependencies, 'heartbeatTimeoutMs'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const beating = setInterval(beat, heartbeatIntervalMs(heartbeatTimeoutMs));
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
