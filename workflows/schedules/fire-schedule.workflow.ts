import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  ParentClosePolicy,
  setCurrentDetails,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { FiringRef, ScheduleRef } from '../../domain/schedules/schedules.ts';
import { startMessagesStart } from '../../temporal/messages/start-messages.ts';
import type { FireScheduleInput, FireScheduleResult } from '../../temporal/schedules/fire-schedule.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { asChild } from '../../temporal/start.ts';
import { sqlActivities } from '../activity-options.ts';
import { environmentName } from '../environment-name.ts';
import { startDelivery } from '../start-delivery.ts';

/** Set by the server on what a Temporal Schedule starts: the time that it was started for. */
const SCHEDULED_START_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

const STARTED_HERE_MAX = 10;

/**
 * One firing of a schedule: publish its message, start its delivery, end. It does not stay open until the message has ended: what
 * overlaps is decided from the record.
 */
export async function fireSchedule(input: FireScheduleInput): Promise<FireScheduleResult> {
  const { fireSlot } = sqlActivities({ fireSlot: 'publishes what is due' });
  const firing = firingOf(input);
  const fired = await fireSlot(firing);
  await startDeliveries(input, fired.messageIds);
  setCurrentDetails(`${fired.outcome.toUpperCase()} for ${firing.nominalAt}`);
  upsertSearchAttributes(searchAttributes({ stage: fired.outcome }));
  return fired;
}

/** The messages of a large URL group are started by a workflow of their own. */
async function startDeliveries(ref: ScheduleRef, messageIds: string[]): Promise<void> {
  if (messageIds.length <= STARTED_HERE_MAX) {
    for (const messageId of messageIds) await startDelivery({ ...ref, messageId });
    return;
  }
  const { workspaceId, environmentId } = ref;
  const { type, options } = asChild(
    startMessagesStart({ workspaceId, environmentId, messageIds }, workflowInfo().taskQueue, environmentName()),
  );
  await startChild(type, { ...options, parentClosePolicy: ParentClosePolicy.ABANDON });
}

function firingOf(input: FireScheduleInput): FiringRef {
  if ('nominalAt' in input) return input;
  const startedFor = workflowInfo().typedSearchAttributes.get(SCHEDULED_START_TIME);
  if (startedFor === undefined) throw ApplicationFailure.nonRetryable('no Temporal Schedule has started this firing');
  return { ...input, trigger: 'schedule', nominalAt: startedFor.toISOString() };
}
