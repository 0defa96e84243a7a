import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { type Repeated, repeatUntilStopped } from '../../activities/repeat-until-stopped.ts';
import { describeFailure } from '../../domain/failures.ts';
import { readDeployment, setCurrent } from './worker-deployment.ts';

/** A process knows after this time, and what its look takes, that its version is no longer the current one. */
export const LOOK_MS_MAX = 5_000;
const INTERVAL_MS = { min: 1_000, max: LOOK_MS_MAX };

/** What the worker of a process knows of its own version. */
export interface OwnVersion extends Repeated {
  /**
   * Whether it may begin workflows itself (eager start). One that a version ahead of the current one began would have its next task on the
   * current one, whose code need not replay it. A worker without a build id may.
   */
  mayBegin(): boolean;
}

const WITHOUT: OwnVersion = { mayBegin: () => true, stop: () => Promise.resolve() };

/**
 * Looks until stopped whether a build is the current version. Where no version is yet, at the first start of an installation, it makes
 * this one: every later change is the operator's (`npm run deploy`).
 */
export function watchOwnVersion(client: Client, buildId: string | null, logger: Logger): OwnVersion {
  if (buildId === null) return WITHOUT;
  let isCurrent = false;
  const step = async (): Promise<boolean> => {
    const deployment = await readDeployment(client);
    const before = isCurrent;
    isCurrent = deployment?.currentBuildId === buildId;
    if (deployment?.currentBuildId === null && deployment.rampingBuildId === null) {
      // Refused, and tried again, until Temporal has seen its polls.
      await setCurrent(client, buildId, deployment);
      logger.info({ buildId }, 'the first version of the workers is the current one');
      isCurrent = true;
    }
    return before !== isCurrent;
  };
  const failed = (error: unknown): void => {
    isCurrent = false;
    logger.warn({ failure: describeFailure(error) }, 'the version of the workers is not known: trying again');
  };
  return { mayBegin: () => isCurrent, ...repeatUntilStopped(step, { intervalMs: INTERVAL_MS, failed }) };
}
