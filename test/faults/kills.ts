import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { expect } from 'vitest';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import type { Call } from './clean-way.ts';
import type { SeparateProcesses } from './separate-processes.ts';

/** Where SIGKILL of a process met the calls that it had in hand. */

/** Operation keys of the calls that were killed in this phase. */
export interface Kill {
  /** In hand, and nothing of it claimed. */
  beforeClaim: string[];
  /** Claimed, and no end of it on record: it may have been sent. */
  beforeRecord: string[];
  /** On record, before its workflow, or the caller of one without a workflow, was told. */
  afterRecord: string[];
}

export type Shape = 'apart' | 'whole';

interface Standing {
  id: string;
  operationKey: string;
  isUnclaimed: boolean;
  isUnderWay: boolean;
}

const { PENDING_WORKFLOW_TASK_STATE_STARTED } = temporal.api.enums.v1.PendingWorkflowTaskState;

/** Waits until PostgreSQL has ended every session of the dead process: what it sent is committed or not, and nothing more comes. */
export async function untilSessionsEnd(processes: SeparateProcesses, shape: Shape): Promise<void> {
  const names = shape === 'whole' ? ['%-worker%', '%-api%'] : ['%-worker%'];
  const sessions = () =>
    processes.database.asOwner(
      'SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE ANY($1)',
      [names],
    );
  await expect.poll(sessions, { interval: 10 }).toEqual([]);
}

export interface Killed {
  processes: SeparateProcesses;
  client: Client;
  shape: Shape;
  /** When the process was started. */
  since: Date;
}

/** Call it while no process works on them, and within the time-out of a workflow task: those of the dead process still count as begun. */
export async function whereItFell(
  { processes, client, shape, since }: Killed,
  calls: readonly Call[],
  { unanswered, earlier }: { unanswered: ReadonlySet<string>; earlier: readonly Kill[] },
): Promise<Kill> {
  const standings = await processes.database.asOwner<Standing>(
    `SELECT i.id, i.operation_key AS "operationKey", i.status = 'queued' AS "isUnclaimed", i.status = 'dispatching' AND a.claimed_at IS NOT NULL AS "isUnderWay"
     FROM invocations i LEFT JOIN attempts a ON a.invocation_id = i.id AND a.kind = 'dispatch' WHERE i.operation_key = ANY($1)`,
    [calls.map(({ operationKey }) => operationKey)],
  );
  // One that was cut off before has a workflow.
  const plain = calls.filter(({ kind, begunAt }) => shape === 'whole' && kind === 'plain' && begunAt >= since);
  const withoutWorkflow = new Set(plain.map(({ operationKey }) => operationKey));
  const inHand = await Promise.all(
    standings.map(async ({ id, operationKey }) =>
      withoutWorkflow.has(operationKey) ? unanswered.has(operationKey) : isTaskBegun(client, id, since),
    ),
  );
  const before = new Set(earlier.flatMap(({ beforeRecord }) => beforeRecord));
  const keysWhere = (holds: (standing: Standing, at: number) => boolean): string[] =>
    standings.filter(holds).map(({ operationKey }) => operationKey);
  return {
    beforeClaim: keysWhere(({ isUnclaimed }, at) => isUnclaimed && inHand[at] === true),
    beforeRecord: keysWhere(({ isUnderWay, operationKey }) => isUnderWay && !before.has(operationKey)),
    afterRecord: keysWhere(({ isUnclaimed, isUnderWay }, at) => !isUnclaimed && !isUnderWay && inHand[at] === true),
  };
}

/** Whether a worker had taken a task of the invocation's workflow since then, and not completed it. */
async function isTaskBegun(client: Client, invocationId: string, since: Date): Promise<boolean> {
  const described = await client.workflow
    .getHandle(invocationWorkflowId(invocationId))
    .describe()
    .catch(() => null);
  const task = described?.raw.pendingWorkflowTask;
  if (task?.state !== PENDING_WORKFLOW_TASK_STATE_STARTED) return false;
  const { seconds = 0, nanos = 0 } = task.startedTime ?? {};
  return Number(seconds) * 1_000 + Number(nanos) / 1_000_000 >= since.getTime();
}

/** How many kills met at least one call in each phase, and how many calls that were. */
export function inWords(kills: readonly Kill[]): string {
  const phases = {
    'before the claim': 'beforeClaim',
    'before the record': 'beforeRecord',
    'after it': 'afterRecord',
  } as const;
  const counts = Object.entries(phases).map(([words, phase]) => {
    const met = kills.map((kill) => kill[phase].length).filter((calls) => calls > 0);
    return `${met.length} ${words} (${met.reduce((sum, calls) => sum + calls, 0)} calls)`;
  });
  return `${kills.length} kills, of which ${counts.join(', ')}`;
}
