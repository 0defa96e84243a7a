import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, setWorkflowOptions, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { FiringRef } from '../../domain/schedules/schedules.ts';
import type { FireScheduleInput, FireScheduleResult } from '../../temporal/schedules/fire-schedule.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { sqlActivities } from '../activity-options.ts';
import { pinned } from '../pinned.ts';

/** Set by the server on what a Temporal Schedule starts: the time that it was started for. */
const SCHEDULED_START_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

setWorkflowOptions(pinned, fireSchedule);

/**
 * One firing of a schedule: publish its message, end. It does not stay open until the message has ended: what
 * overlaps is decided from the record.
 */
export async function fireSchedule(input: FireScheduleInput): Promise<FireScheduleResult> {
  const { fireSlot } = sqlActivities({ fireSlot: 'publishes what is due' });
  const firing = firingOf(input);
  const fired = await fireSlot(firing);
  setCurrentDetails(`${fired.outcome.toUpperCase()} for ${firing.nominalAt}`);
  upsertSearchAttributes(searchAttributes({ stage: fired.outcome }));
  return fired;
}

function firingOf(input: FireScheduleInput): FiringRef {
  if ('nominalAt' in input) return input;
  const startedFor = workflowInfo().typedSearchAttributes.get(SCHEDULED_START_TIME);
  if (startedFor === undefined) throw ApplicationFailure.nonRetryable('no Temporal Schedule has started this firing');
  return { ...input, trigger: 'schedule', nominalAt: startedFor.toISOString() };
}
