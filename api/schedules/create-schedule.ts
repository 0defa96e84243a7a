import { sealDestination } from '../../db/schedules/records.ts';
import { insertSchedule } from '../../db/schedules/changes.ts';
import { newId } from '../../domain/ids.ts';
import { CATCH_UP_SECONDS_DEFAULT, OVERLAP_DEFAULT } from '../../domain/schedules/schedules.ts';
import { defineRoute } from '../http/define-route.ts';
import { scheduleEntry } from './audit.ts';
import { createScheduleBody, presentSchedule } from './schemas.ts';
import { warningsOfDestination, writtenScheduleSchema } from './warnings.ts';
import { dueAfter } from '../../domain/schedules/slots.ts';
import { putSchedule } from './schedule-client.ts';

export const createScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.create',
  method: 'POST',
  path: '/api/v2/schedules',
  summary: 'Create a schedule',
  description:
    'Publishes its destination at each slot of its cron expression, as a message of its own, in the name of the key or person that ' +
    'created it. The schedule goes on when that key is revoked: delete or pause the schedule. A URL group or topic that is not there is ' +
    'listed in `warnings`.',
  scope: 'schedules:write',
  role: 'admin',
  request: { body: createScheduleBody },
  response: { 201: writtenScheduleSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body, caller, actor, deps }) {
    const id = newId('schedule');
    const { cron, timezone = 'UTC', paused = false } = body;
    const schedule = await insertSchedule(tx, {
      id,
      name: body.name ?? null,
      cron,
      timezone,
      overlap: body.overlap ?? OVERLAP_DEFAULT,
      catchUpSeconds: body.catchUpSeconds ?? CATCH_UP_SECONDS_DEFAULT,
      destination: sealDestination(deps.vault, caller.tenant, id, body.destination),
      paused,
      createdBy: actor,
      dueAt: dueAfter({ cron, timezone, paused }, new Date()),
    });
    const warnings = await warningsOfDestination(tx, caller, body.destination);
    const told = { environmentName: caller.environment.name, taskQueue: deps.taskQueue };
    return {
      reply: { status: 201, data: { ...presentSchedule(schedule), warnings } },
      audit: scheduleEntry('schedule.created', schedule),
      after: () => putSchedule(deps.temporal, { ...caller.tenant, scheduleId: id }, schedule, told),
    };
  },
});
