import { z } from 'zod';
import { readScheduleFirings } from '../../db/analytics/schedules.ts';
import { listSchedules } from '../../db/schedules/queries.ts';
import { rate } from '../../domain/analytics/counted.ts';
import { APPROXIMATE, countsOf, percentilesOf } from '../../domain/analytics/percentiles.ts';
import { dueAfter } from '../../domain/schedules/slots.ts';
import { percentileColumns } from './csv.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { approximateSchema, count, percentilesSchema, rateSchema } from './range-schemas.ts';

const scheduleSchema = z
  .strictObject({
    scheduleId: z.string().regex(/^sch_/),
    name: z.string().nullable(),
    cron: z.string(),
    timezone: z.string(),
    paused: z.boolean(),
    firings: z
      .strictObject({
        published: count,
        skipped: count.describe(
          'Nothing was published, because an earlier message had not ended or the environment was halted.',
        ),
        failed: count.describe('Publishing was refused.'),
        missed: count.describe('Nobody fired the slot within the catch-up.'),
      })
      .describe('Runs whose outcome came in the range, those asked for by hand too.'),
    successRate: rateSchema.describe(
      'Published of those published, failed or missed. A skipped slot counts on neither side.',
    ),
    latenessMs: percentilesSchema.describe('From the slot until it published, of those published in the range.'),
    approximate: approximateSchema,
    delivery: z
      .strictObject({ delivered: count, failed: count })
      .describe('Messages of its firings that ended in the range.'),
    lastRunAt: z.iso.datetime().nullable().describe('When it last published, or failed to, whatever the range.'),
    nextRunAt: z.iso.datetime().nullable().describe('Null while it is paused.'),
  })
  .meta({ id: 'ScheduleAnalytics' });

export const schedulesRoute = defineRoute(
  analyticsRead({
    id: 'analytics.schedules',
    path: '/api/v2/analytics/schedules',
    summary: 'Analyse schedules, newest first',
    description:
      'The schedules of the environment, those that fired nothing too, each with its firings of the range. A deleted schedule is not listed; ' +
      'its firings stay in `analytics.overview`. Single firings are in `analytics.scheduleExecutions`.',
    paged: true,
    data: z.array(scheduleSchema),
    csv: {
      columns: [
        'scheduleId',
        'name',
        'cron',
        'timezone',
        'paused',
        ...['published', 'skipped', 'failed', 'missed'].map((name) => `firings.${name}`),
        'successRate',
        ...percentileColumns('latenessMs'),
        'delivery.delivered',
        'delivery.failed',
        'lastRunAt',
        'nextRunAt',
      ],
    },
    async read(tx, { range, page, now }) {
      const { items, total } = await listSchedules(tx, page);
      const firingsOf = await readScheduleFirings(
        tx,
        range,
        items.map(({ id }) => id),
      );
      const data = items.map(({ id, name, cron, timezone, paused, lastRunAt }) => {
        const { lateness, delivery, ...firings } = firingsOf(id);
        return {
          scheduleId: id,
          name,
          cron,
          timezone,
          paused,
          firings,
          successRate: rate(firings.published, firings.published + firings.failed + firings.missed),
          latenessMs: percentilesOf(countsOf(lateness)),
          approximate: APPROXIMATE,
          delivery,
          lastRunAt: lastRunAt?.toISOString() ?? null,
          nextRunAt: dueAfter({ cron, timezone, paused }, now)?.toISOString() ?? null,
        };
      });
      return { data, total };
    },
  }),
);
