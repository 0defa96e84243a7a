import type { Client } from '@temporalio/client';
import { WORKER_DEPLOYMENT } from '../../temporal/worker-deployment.ts';
import {
  type Execution,
  listOpen,
  OPTIONS_MASK,
  overrideOptions,
  pause,
  pinnedTo,
  unlessEnded,
} from './open-workflows.ts';
import { LOOK_MS_MAX } from './own-version.ts';

/**
 * How long no further workflow may appear: a process of the version learns that it is not the current one any more, what it began by then
 * ends its first task, and visibility, which lags behind the histories, shows it.
 */
const QUIET_MS = LOOK_MS_MAX + 3_000;
/** After it the caller is told what is left. A call that is under way holds a workflow up. */
const KEEP_MS_MAX = 120_000;
/** A workflow that follows the current version. A pin that Temporal obeys takes it out of this list. */
const FOLLOWING = `TemporalWorkflowVersioningBehavior = 'AutoUpgrade'`;
/** The end of a history in which the last end of a workflow task is looked for. */
const EVENTS_MAX = 50;
/** From the Protobuf definitions of Temporal's API: the code does not replay the history, or does not know the workflow at all. */
const CAUSES_OF_OTHER_CODE: readonly unknown[] = [24, 14];
const WHY = 'its version was rolled back while a task of it was with the version before';

export interface Kept {
  workflows: number;
  /** How many still follow the current version. */
  left: number;
}

/** Keeps the open workflows of one version with it (`npm run deploy -- rollback` and `keep`). */
export class KeptWorkflows {
  private readonly client: Client;
  private readonly buildId: string;
  private readonly runs = new Set<string>();
  private readonly workflows = new Set<string>();

  constructor(client: Client, buildId: string) {
    this.client = client;
    this.buildId = buildId;
  }

  /** Pins what is not pinned yet, and frees what Temporal keeps from its pin. Returns how many of both there were. */
  async round(): Promise<number> {
    return listOpen(this.client, this.buildId, FOLLOWING, async (execution) => {
      if (this.runs.has(execution.runId)) return this.free(execution);
      this.runs.add(execution.runId);
      this.workflows.add(execution.workflowId);
      await overrideOptions(this.client, execution, pinnedTo(this.buildId));
    });
  }

  /** The version has to be no longer the current one. */
  async untilQuiet(): Promise<Kept> {
    const endsAt = Date.now() + KEEP_MS_MAX;
    for (let quietSince = Date.now(); ;) {
      const left = await this.round();
      if (left > 0) quietSince = Date.now();
      const isOver = Date.now() >= endsAt || Date.now() - quietSince >= QUIET_MS;
      if (isOver) return { workflows: this.workflows.size, left };
      await pause();
    }
  }

  /**
   * Temporal ignores a pin that reaches a workflow on its way to another version, until a task ends there (`GetEffectiveDeployment` of its
   * server: a transition goes before an override). Where that code does not replay the history, no task ever ends. A reset to the failed
   * task keeps all that was recorded before it, and the new run is on no way: it obeys the pin. A started activity would be failed by a
   * reset, and its request unknown, so it waits for that to end.
   */
  private async free(execution: Execution): Promise<void> {
    await unlessEnded(async () => {
      if (!(await this.isOnItsWayElsewhere(execution))) return;
      const failedTask = await failedTaskOf(this.client, execution);
      if (failedTask === null) return;
      await this.client.workflowService.resetWorkflowExecution({
        namespace: this.client.options.namespace,
        workflowExecution: execution,
        reason: WHY,
        // A second try of the same request makes no second run.
        requestId: `keep/${execution.runId}`,
        workflowTaskFinishEventId: failedTask,
        postResetOperations: [
          {
            updateWorkflowOptions: {
              workflowExecutionOptions: { versioningOverride: pinnedTo(this.buildId) },
              updateMask: OPTIONS_MASK,
            },
          },
        ],
      });
    });
  }

  private async isOnItsWayElsewhere(execution: Execution): Promise<boolean> {
    const { workflowExecutionInfo: info, pendingActivities } =
      await this.client.workflowService.describeWorkflowExecution({
        namespace: this.client.options.namespace,
        execution,
      });
    const target = info?.versioningInfo?.versionTransition?.deploymentVersion ?? null;
    if (target === null || pendingActivities.length > 0) return false;
    return target.deploymentName !== WORKER_DEPLOYMENT || target.buildId !== this.buildId;
  }
}

/** Returns the event of the last workflow task when it failed because of other code, else null. Temporal records no further try of it. */
async function failedTaskOf(client: Client, execution: Execution) {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: EVENTS_MAX,
  });
  for (const event of history?.events ?? []) {
    if (event.workflowTaskCompletedEventAttributes) return null;
    const failure = event.workflowTaskFailedEventAttributes;
    if (failure) return CAUSES_OF_OTHER_CODE.includes(failure.cause) ? (event.eventId ?? null) : null;
  }
  return null;
}
