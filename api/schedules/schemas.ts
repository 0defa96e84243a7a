import { z } from 'zod';
import { type RunRecord, type ScheduleRecord, shownDestination } from '../../db/schedules/records.ts';
import type { ListedSchedule } from '../../db/schedules/queries.ts';
import { MESSAGE_STATUSES } from '../../domain/messages/messages.ts';
import { REDACTED } from '../../domain/redacted.ts';
import { CRON_CHARACTERS_MAX, CronError, parseCron } from '../../domain/schedules/cron.ts';
import {
  CATCH_UP_SECONDS_DEFAULT,
  CATCH_UP_SECONDS_MAX,
  CATCH_UP_SECONDS_MIN,
  OVERLAP_DEFAULT,
  OVERLAPS,
  RUN_OUTCOMES,
  RUN_TRIGGERS,
} from '../../domain/schedules/schedules.ts';
import { dueAfter, nextSlots } from '../../domain/schedules/slots.ts';
import { canonicalTimeZone } from '../../domain/schedules/time-zone.ts';
import { orShortened } from '../http/common-fields.ts';
import { publishMessageBody, publishMessageFields } from '../messages/body-schemas.ts';

const NAME_CHARACTERS_MAX = 100;
const TIME_ZONE_CHARACTERS_MAX = 64;

const cronSchema = z
  .string()
  .min(1)
  .max(CRON_CHARACTERS_MAX)
  .superRefine((text, context) => {
    const message = cronIssue(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .describe('Minute, hour, day of the month, month, day of the week; or with the second as a sixth field in front.')
  .meta({ examples: ['0 9 * * MON-FRI'] });

function cronIssue(text: string): string | null {
  try {
    const [next] = nextSlots(parseCron(text), 'UTC', new Date(), 1);
    return next === undefined ? 'never comes: no date of the next fifty years matches it' : null;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}

const timezoneSchema = z
  .string()
  .min(1)
  .max(TIME_ZONE_CHARACTERS_MAX)
  .refine((name) => canonicalTimeZone(name) !== null, 'is no time zone of the IANA data, such as Europe/Berlin')
  .describe('An IANA name. UTC where it is left out.')
  .meta({ examples: ['Europe/Berlin'] });

const destinationSchema = publishMessageBody
  .superRefine(({ scheduledFor, headers }, context) => {
    if (scheduledFor !== undefined) {
      const message = 'is one time; the schedule says when. Use delay to send later than the slot';
      context.addIssue({ code: 'custom', path: ['scheduledFor'], message });
    }
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value !== REDACTED) continue;
      const message = `is "${REDACTED}", which reads show in place of a secret value: send the value itself`;
      context.addIssue({ code: 'custom', path: ['headers', name], message });
    }
  })
  .meta({
    id: 'ScheduleDestination',
    description: 'What each firing publishes: the body of a publish request without `scheduledFor`.',
  });

const scheduleFields = {
  name: z.string().min(1).max(NAME_CHARACTERS_MAX).nullable().describe('For people; need not be unique.'),
  cron: cronSchema,
  timezone: timezoneSchema,
  destination: destinationSchema,
  overlap: z
    .enum(OVERLAPS)
    .describe(
      'What a slot does while a message of an earlier run has not ended. `skip`: nothing. `buffer_one`: one run waits for it. ' +
        `\`allow_all\`: publishes. \`${OVERLAP_DEFAULT}\` where it is left out.`,
    ),
  catchUpSeconds: z
    .int()
    .min(CATCH_UP_SECONDS_MIN)
    .max(CATCH_UP_SECONDS_MAX)
    .describe(
      'How late a slot is still fired after an outage of the scheduler. ' +
        `${CATCH_UP_SECONDS_DEFAULT} where it is left out.`,
    ),
};

export const createScheduleBody = z
  .strictObject({
    name: scheduleFields.name.optional(),
    cron: scheduleFields.cron,
    timezone: scheduleFields.timezone.optional(),
    destination: scheduleFields.destination,
    overlap: scheduleFields.overlap.optional(),
    catchUpSeconds: scheduleFields.catchUpSeconds.optional(),
    paused: z.boolean().optional().describe('True: it fires nothing until it is resumed.'),
  })
  .meta({ id: 'CreateScheduleRequest' });

export const updateScheduleBody = z
  .strictObject({
    name: scheduleFields.name.optional(),
    cron: scheduleFields.cron.optional(),
    timezone: scheduleFields.timezone.optional(),
    destination: scheduleFields.destination.optional().describe('Replaces the whole destination.'),
    overlap: scheduleFields.overlap.optional(),
    catchUpSeconds: scheduleFields.catchUpSeconds.optional(),
  })
  .meta({ id: 'UpdateScheduleRequest' });

/** As reads show it. */
const shownDestinationSchema = publishMessageFields.meta({
  id: 'ShownScheduleDestination',
  description: 'As it was given. Values of credentials, and what `redact` names, are `[REDACTED]`.',
});

export const scheduleSchema = z
  .strictObject({
    id: z.string().regex(/^sch_/),
    name: z.string().nullable(),
    cron: z.string(),
    timezone: z.string(),
    destination: shownDestinationSchema,
    overlap: z.enum(OVERLAPS),
    catchUpSeconds: z.int().min(0),
    paused: z.boolean(),
    lastRunAt: z.iso.datetime().nullable().describe('When it last published, or failed to.'),
    nextRunAt: z.iso.datetime().nullable().describe('Null while it is paused.'),
    createdBy: z.strictObject({ type: z.string(), id: z.string().nullable() }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Schedule' });

export const listedScheduleSchema = scheduleSchema
  .extend({
    destination: publishMessageFields
      .extend({
        body: orShortened(publishMessageFields.shape.body),
        headers: orShortened(publishMessageFields.shape.headers),
      })
      .meta({ id: 'ListedScheduleDestination' }),
  })
  .meta({ id: 'ListedSchedule' });

export const runSchema = z
  .strictObject({
    scheduleId: z.string().regex(/^sch_/),
    trigger: z.enum(RUN_TRIGGERS).describe('`manual`: asked for by `POST /schedules/{scheduleId}/run`.'),
    nominalTime: z.iso.datetime().describe('When it was due.'),
    firedAt: z.iso.datetime().describe('When its outcome came.'),
    outcome: z
      .enum(RUN_OUTCOMES)
      .describe(
        '`queued`: asked for, published in a moment. `waiting`: published when a message of an earlier run has ended. ' +
          '`skipped`, `failed`: nothing was published, for the reason in `error`. `missed`: nobody fired it within the catch-up.',
      ),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    messages: z.array(
      z.strictObject({
        messageId: z.string().regex(/^msg_/),
        status: z.enum(MESSAGE_STATUSES).nullable().describe('Null once the message is no longer kept.'),
      }),
    ),
    eventId: z.string().regex(/^evt_/).nullable().describe('The event that it published to a topic.'),
  })
  .meta({ id: 'ScheduleRun' });

export const previewQuery = z.strictObject({ cron: cronSchema, timezone: timezoneSchema.optional() });
export const previewSchema = z
  .strictObject({
    cron: z.string(),
    timezone: z.string(),
    times: z.array(z.iso.datetime()).describe('The next ten, or fewer where so many do not come within fifty years.'),
  })
  .meta({ id: 'SchedulePreview' });

export const scheduleParams = z.strictObject({ scheduleId: z.string().min(1).max(100) });

export function presentSchedule(schedule: ScheduleRecord): z.input<typeof scheduleSchema> {
  const { cron, timezone, paused } = schedule;
  return {
    id: schedule.id,
    name: schedule.name,
    cron,
    timezone,
    destination: shownDestination(schedule.destination),
    overlap: schedule.overlap,
    catchUpSeconds: schedule.catchUpSeconds,
    paused,
    lastRunAt: schedule.lastRunAt?.toISOString() ?? null,
    nextRunAt: dueAfter({ cron, timezone, paused }, new Date())?.toISOString() ?? null,
    createdBy: schedule.createdBy,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}

export function presentListedSchedule({
  shortened: { body, headers },
  ...schedule
}: ListedSchedule): z.input<typeof listedScheduleSchema> {
  const shown = presentSchedule(schedule);
  const cut = { ...(body === null ? {} : { body }), ...(headers === null ? {} : { headers }) };
  return { ...shown, destination: { ...shown.destination, ...cut } };
}

export function presentRun(scheduleId: string, run: RunRecord): z.input<typeof runSchema> {
  return {
    scheduleId,
    trigger: run.trigger,
    nominalTime: run.nominalAt.toISOString(),
    firedAt: run.firedAt.toISOString(),
    outcome: run.outcome,
    error: run.error,
    messages: run.messages,
    eventId: run.eventId,
  };
}
