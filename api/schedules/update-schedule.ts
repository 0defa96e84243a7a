import { sealDestination } from '../../db/schedules/records.ts';
import { lockSchedule } from '../../db/schedules/queries.ts';
import { updateSchedule } from '../../db/schedules/changes.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { scheduleEntry } from './audit.ts';
import { presentSchedule, scheduleParams, updateScheduleBody } from './schemas.ts';
import { warningsOfDestination, writtenScheduleSchema } from './warnings.ts';
import { dueAfter } from '../../domain/schedules/slots.ts';
import { putSchedule } from './schedule-client.ts';

export const updateScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.update',
  method: 'PATCH',
  path: '/api/v2/schedules/{scheduleId}',
  summary: 'Change a schedule',
  description:
    'Members that are left out stay. A destination is replaced as a whole, since what is sealed of it is never shown. It is in force ' +
    'from the reply on; messages that were published stay as they are. A URL group or topic that is not there is listed in `warnings`.',
  scope: 'schedules:write',
  role: 'admin',
  request: { params: scheduleParams, body: updateScheduleBody },
  response: { 200: writtenScheduleSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { params: { scheduleId }, body, caller, deps }) {
    const { tenant, environment } = caller;
    const before = existing(await lockSchedule(tx, scheduleId), 'schedule');
    const { name, cron, timezone, overlap, catchUpSeconds, destination } = body;
    const warnings = await warningsOfDestination(tx, caller, destination ?? before.destination.request);
    if (Object.values(body).every((value) => value === undefined)) {
      return {
        reply: { status: 200, data: { ...presentSchedule(before), warnings } },
        audit: 'none: nothing was to be changed',
      };
    }
    const now = new Date();
    const times = { cron: cron ?? before.cron, timezone: timezone ?? before.timezone, paused: before.paused };
    const changed = {
      id: before.id,
      name: name === undefined ? before.name : name,
      ...times,
      overlap: overlap ?? before.overlap,
      catchUpSeconds: catchUpSeconds ?? before.catchUpSeconds,
      destination:
        destination === undefined ? before.destination : sealDestination(deps.vault, tenant, before.id, destination),
      dueAt: dueAfter(times, now),
    };
    const after = await updateSchedule(tx, before, changed, now);
    const told = { environmentName: environment.name, taskQueue: deps.taskQueue };
    return {
      reply: { status: 200, data: { ...presentSchedule(after), warnings } },
      audit: scheduleEntry('schedule.updated', after, before),
      after: () => putSchedule(deps.temporal, { ...tenant, scheduleId }, after, told),
    };
  },
});
