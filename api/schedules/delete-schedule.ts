import { z } from 'zod';
import { deleteSchedule } from '../../db/schedules/changes.ts';
import { notFound } from '../../domain/errors.ts';
import { confirmProtected, isConfirmed, refuseUnconfirmed } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { scheduleParams } from './schemas.ts';
import { forgetSchedule } from './schedule-client.ts';

export const deleteScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.delete',
  method: 'DELETE',
  path: '/api/v2/schedules/{scheduleId}',
  summary: 'Delete a schedule',
  description:
    'After the 200 it publishes nothing, and what it carried is gone. Messages that it published stay, and are listed by ' +
    `\`GET /messages?scheduleId=\`. ${confirmProtected.description} Without it the answer is 400 and the schedule stays.`,
  scope: 'schedules:write',
  role: 'admin',
  request: { params: scheduleParams, query: confirmProtected.query, body: confirmProtected.body },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  async change(tx, { params: { scheduleId }, query, body, caller: { environment }, deps }) {
    if (!(await deleteSchedule(tx, scheduleId))) throw notFound('schedule');
    // After the lookup, so that a missing schedule is a 404; throwing undoes the deletion.
    if (environment.protected && !isConfirmed(query, body)) throw refuseUnconfirmed('schedule', environment.name);
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'schedule.deleted', target: { type: 'schedule', id: scheduleId } },
      after: () => forgetSchedule(deps.temporal, scheduleId),
    };
  },
});
