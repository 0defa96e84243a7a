import { readHalt } from '../../db/environments/halt.ts';
import { lockSchedule, nextManualTime } from '../../db/schedules/queries.ts';
import { recordRun } from '../../db/schedules/runs.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentRun, runSchema, scheduleParams } from './schemas.ts';
import { startFiring } from '../starts/message-workflows.ts';

export const runScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.run',
  method: 'POST',
  path: '/api/v2/schedules/{scheduleId}/run',
  summary: 'Fire a schedule now',
  description:
    'Publishes its destination once, beside its slots: whatever is still on its way, and also while the schedule is paused. The reply ' +
    'is the queued run; `GET /schedules/{scheduleId}/runs` shows what became of it. While the environment is halted the answer is 503, ' +
    'unless the key holds `messages:ingest`: then the message is delivered after the resumption.',
  scope: 'schedules:write',
  role: 'admin',
  request: { params: scheduleParams },
  response: { 202: runSchema },
  errors: ['SERVICE_UNAVAILABLE'],
  idempotent: true,
  accepted: ({ scheduleId }) => ({ location: `/api/v2/schedules/${scheduleId}/runs`, retryAfterSeconds: 1 }),
  async change(tx, { params: { scheduleId }, caller, deps }) {
    if ((await lockSchedule(tx, scheduleId)) === null) throw notFound('schedule');
    const halt = caller.scopes.has('messages:ingest') ? null : await readHalt(tx);
    if (halt !== null) {
      throw new ServiceError('SERVICE_UNAVAILABLE', {
        message: `The environment is halted since ${halt.haltedAt.toISOString()}: ${halt.reason}. Fire the schedule when it is resumed.`,
      });
    }
    const nominalAt = await nextManualTime(tx, scheduleId);
    const run = { trigger: 'manual', nominalAt, outcome: 'queued', error: null } as const;
    await recordRun(tx, { ...run, scheduleId, messageIds: [] });
    const firing = { ...caller.tenant, scheduleId, trigger: 'manual', nominalAt: nominalAt.toISOString() } as const;
    const told = { environmentName: caller.environment.name, taskQueue: deps.taskQueue };
    return {
      reply: { status: 202, data: presentRun(scheduleId, { ...run, firedAt: nominalAt, messages: [], eventId: null }) },
      audit: { action: 'schedule.fired', target: { type: 'schedule', id: scheduleId } },
      after: () => startFiring(deps.temporal, firing, told),
    };
  },
});
