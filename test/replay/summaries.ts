import { z } from 'zod';

const history = z.object({
  events: z.array(
    z.looseObject({
      eventId: z.coerce.string(),
      eventType: z.coerce.string(),
      userMetadata: z.looseObject({ summary: z.looseObject({ data: z.string().min(1) }) }).nullish(),
      markerRecordedEventAttributes: z.looseObject({ markerName: z.string() }).nullish(),
    }),
  ),
});

/** The steps of a workflow that the Temporal UI shows as a line each. (A child has its summary from its start options.) */
const STEPS = /ACTIVITY_TASK_SCHEDULED|TIMER_STARTED/;
const LOCAL_ACTIVITY = 'core_local_activity';

/** The activities, local activities and timers of a history (as JSON) that have no summary: `8 EVENT_TYPE_TIMER_STARTED`. */
export function stepsWithoutSummary(json: unknown): string[] {
  return history
    .parse(json)
    .events.filter(({ eventType, markerRecordedEventAttributes: marker }) =>
      marker ? marker.markerName === LOCAL_ACTIVITY : STEPS.test(eventType),
    )
    .filter(({ userMetadata }) => !userMetadata)
    .map(({ eventId, eventType }) => `${eventId} ${eventType}`);
}
