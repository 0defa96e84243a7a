import { derivedMessageId } from '../derived-message-id.ts';
import type { RunTrigger } from './schedules.ts';

/** The id of the message of a firing: its time is the nominal time. A firing that is tried again has the same one. */
export function firingMessageId({
  scheduleId,
  trigger,
  nominalAt,
  endpointId,
}: {
  scheduleId: string;
  trigger: RunTrigger;
  nominalAt: Date;
  /** Set where the destination is a URL group, which has a message for each endpoint. */
  endpointId: string | null;
}): string {
  const endpoint = endpointId === null ? [] : [endpointId];
  return derivedMessageId(nominalAt, [scheduleId, trigger, nominalAt.toISOString(), ...endpoint]);
}
