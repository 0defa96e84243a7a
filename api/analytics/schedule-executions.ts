import { z } from 'zod';
import { listScheduleExecutions, type ScheduleExecution } from '../../db/analytics/schedules.ts';
import { DELIVERY_STATUSES, deliveryStatusOf, latenessOf } from '../../domain/analytics/schedule-executions.ts';
import { RUN_OUTCOMES, RUN_TRIGGERS } from '../../domain/schedules/schedules.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';

const executionSchema = z
  .strictObject({
    scheduleId: z.string().regex(/^sch_/),
    trigger: z.enum(RUN_TRIGGERS).describe('`manual`: asked for by `POST /schedules/{scheduleId}/run`.'),
    scheduledFor: z.iso.datetime().describe('When it was due.'),
    firedAt: z.iso.datetime().describe('When its outcome came.'),
    latenessMs: z.int().min(0).nullable().describe('Exact. Null where it published nothing.'),
    outcome: z.enum(RUN_OUTCOMES).describe('As in the list of the runs of a schedule.'),
    messageIds: z.array(z.string().regex(/^msg_/)).describe('What it published, one for each endpoint of a URL group.'),
    eventId: z.string().regex(/^evt_/).nullable().describe('The event that it published to a topic.'),
    deliveryStatus: z
      .enum(DELIVERY_STATUSES)
      .nullable()
      .describe(
        'What became of its messages, or of the deliveries of its event: `pending` while one has not ended, else `failed` where one failed. Null where ' +
          'there is none, or none is kept.',
      ),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'ScheduleExecution' });

export const scheduleExecutionsRoute = defineRoute(
  analyticsRead({
    id: 'analytics.scheduleExecutions',
    path: '/api/v2/analytics/schedule-executions',
    summary: 'List the firings of all schedules, newest first',
    description:
      'The runs of every schedule whose outcome came in the range, read from the records: exact, and there as soon as they are committed. ' +
      'The newest 1,000 of each schedule are kept, so a long range of a busy schedule shows fewer than `analytics.schedules` counts.',
    query: {
      scheduleId: z.string().min(1).max(100).optional().describe('Only those of this schedule.'),
      outcome: z.enum(RUN_OUTCOMES).optional().describe('Only those with this outcome.'),
    },
    exact: true,
    paged: true,
    data: z.array(executionSchema),
    csv: {
      columns: [
        'scheduleId',
        'trigger',
        'scheduledFor',
        'firedAt',
        'latenessMs',
        'outcome',
        'messageIds',
        'eventId',
        'deliveryStatus',
        'error.code',
        'error.message',
      ],
    },
    async read(tx, { query: { scheduleId = null, outcome = null }, range: { from, to }, page }) {
      const { items, total } = await listScheduleExecutions(tx, { from, to, scheduleId, outcome, ...page });
      return { data: items.map(presentExecution), total };
    },
  }),
);

function presentExecution(run: ScheduleExecution): z.input<typeof executionSchema> {
  return {
    scheduleId: run.scheduleId,
    trigger: run.trigger,
    scheduledFor: run.nominalAt.toISOString(),
    firedAt: run.firedAt.toISOString(),
    latenessMs: latenessOf(run),
    outcome: run.outcome,
    messageIds: run.messageIds,
    eventId: run.eventId,
    deliveryStatus: deliveryStatusOf(run.statuses),
    error: run.error,
  };
}
