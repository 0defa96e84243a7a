import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { Fired, FiringRef, ScheduleRef } from '../../domain/schedules/schedules.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const FIRE_SCHEDULE_WORKFLOW = 'fireSchedule';
/** A ScheduleRef is what the Temporal Schedule starts it with: the nominal time is then the one that Temporal started it for. */
export type FireScheduleInput = ScheduleRef | FiringRef;
export type FireScheduleResult = Fired;

/** The Temporal Schedule of a schedule. Temporal appends the nominal time to it, as the id of each workflow that it starts. */
export function temporalScheduleId(scheduleId: string): string {
  return `schedule/${scheduleId}`;
}

const DESCRIPTION = descriptionOf({
  does: 'Fires one slot of a schedule: publishes its message, records the run, starts the delivery, and ends. What is due is decided from the row.',
  standsStill:
    'Its one step waits for PostgreSQL. It may be terminated: the slot is then not fired, and the next one is.',
});

/** What the Temporal Schedule starts at each of its times. Temporal itself decides about an id that was used before. */
export function fireScheduleAction(
  { scheduleId, workspaceId, environmentId }: ScheduleRef,
  taskQueue: string,
  environmentName: string | null,
) {
  const { type, options } = startOf({ scheduleId, workspaceId, environmentId }, taskQueue, environmentName);
  const { workflowIdReusePolicy: _clientsOnly, ...actionOptions } = options;
  return { type: 'startWorkflow' as const, workflowType: type, ...actionOptions };
}

/** The same of a run that was queued by hand, or waited. The row decides, so it may start any number of times. */
export function fireScheduleStart(
  { scheduleId, workspaceId, environmentId, trigger, nominalAt }: FiringRef,
  taskQueue: string,
  environmentName: string | null,
): Start<[FireScheduleInput]> {
  return startOf({ scheduleId, workspaceId, environmentId, trigger, nominalAt }, taskQueue, environmentName);
}

/** The input of the Temporal Schedule names no slot: Temporal adds the time of each to the id. */
function startOf(
  input: FireScheduleInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[FireScheduleInput]> {
  const { scheduleId, workspaceId, environmentId } = input;
  const slot = 'nominalAt' in input ? input : null;
  const workflowId = temporalScheduleId(scheduleId);
  return {
    type: FIRE_SCHEDULE_WORKFLOW,
    options: {
      workflowId:
        slot === null
          ? workflowId
          : `${workflowId}-${slot.nominalAt}-${slot.trigger === 'manual' ? 'manual' : 'waited'}`,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf(`fires ${scheduleId}`, slot?.nominalAt, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({
        workspaceId,
        environmentId,
        environment: environmentName,
        stage: 'pending',
      }),
    },
  };
}
