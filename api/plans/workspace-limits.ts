import { requireFeature } from '../../domain/plans.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { RateLimitGate } from '../http/rate-limit.ts';
import type { EntryGate, Gate } from '../http/route-runner.ts';
import { ExpensiveWorkSwitch } from './expensive-work-switch.ts';
import { PlanDirectory } from '../http/plan-directory.ts';

export class WorkspaceLimits {
  private readonly plans: PlanDirectory;
  private readonly rateLimit: RateLimitGate;
  private readonly expensiveWork: ExpensiveWorkSwitch;

  constructor({ db, notifications }: Pick<ApiDependencies, 'db' | 'notifications'>) {
    this.plans = new PlanDirectory(db, notifications);
    this.rateLimit = new RateLimitGate(db, this.plans);
    this.expensiveWork = new ExpensiveWorkSwitch(db, notifications);
  }

  readonly beforeScope: EntryGate = (request) => this.rateLimit.pass(request);

  /**
   * Runs after the scope or role check, right before the handler: only an authorized caller learns what the plan lacks, and recorded
   * replies are replayed during a pause.
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
