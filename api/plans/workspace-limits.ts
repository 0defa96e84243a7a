import { requireFeature } from '../../domain/plans.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { RateLimitGate } from '../http/rate-limit.ts';
import type { Gate } from '../http/run-route.ts';
import { ExpensiveWorkSwitch } from './expensive-work-switch.ts';
import { PlanDirectory } from './plan-directory.ts';

/** What a workspace's plan and the installation say of a request, for the machinery of the routes. */
export class WorkspaceLimits {
  private readonly plans: PlanDirectory;
  private readonly rateLimit: RateLimitGate;
  private readonly expensiveWork: ExpensiveWorkSwitch;

  constructor({ db, notifications }: Pick<ApiDependencies, 'db' | 'notifications'>) {
    this.plans = new PlanDirectory(db, notifications);
    this.rateLimit = new RateLimitGate(db, this.plans);
    this.expensiveWork = new ExpensiveWorkSwitch(db, notifications);
  }

  /** Asked once the caller is known, before the scope or role is. */
  readonly beforeScope: Gate = (request) => this.rateLimit.pass(request);

  /**
   * Asked of a caller who has the scope or role, when the handler is about to run: what a plan lacks is only told to those who
   * may ask, and a recorded reply is repeated while new work is paused.
   */
  readonly beforeWork: Gate = async ({ route, workspaceId }) => {
    if (route.feature !== undefined && workspaceId !== null) {
      requireFeature(await this.plans.planOf(workspaceId), route.feature);
    }
    if (route.expensive === true) await this.expensiveWork.refuseWhilePaused();
  };

  close(): void {
    this.plans.close();
    this.expensiveWork.close();
  }
}
