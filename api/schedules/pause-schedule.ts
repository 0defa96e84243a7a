import type { EnvironmentTransaction } from '../../db/client.ts';
import { lockSchedule } from '../../db/schedules/queries.ts';
import { updateSchedule } from '../../db/schedules/changes.ts';
import { existing } from '../../domain/errors.ts';
import { type Caller, defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { scheduleEntry } from './audit.ts';
import { presentSchedule, scheduleParams, scheduleSchema } from './schemas.ts';
import { dueAfter } from '../../domain/schedules/slots.ts';
import { putSchedule } from './schedule-client.ts';

export const pauseScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.pause',
  method: 'POST',
  path: '/api/v2/schedules/{scheduleId}/pause',
  summary: 'Pause a schedule',
  description:
    'After the 200 no slot publishes anything. What is due meanwhile is not made up later. A run that waits for an earlier message is ' +
    'skipped; messages that were published are delivered.',
  scope: 'schedules:write',
  role: 'admin',
  request: { params: scheduleParams },
  response: { 200: scheduleSchema },
  idempotent: true,
  change: (tx, ctx) => setPaused(tx, ctx, true),
});

export const resumeScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.resume',
  method: 'POST',
  path: '/api/v2/schedules/{scheduleId}/resume',
  summary: 'Resume a schedule',
  description: 'It fires from its next slot on.',
  scope: 'schedules:write',
  role: 'admin',
  request: { params: scheduleParams },
  response: { 200: scheduleSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  change: (tx, ctx) => setPaused(tx, ctx, false),
});

interface Context {
  params: { scheduleId: string };
  caller: Caller;
  deps: WorkDependencies;
}

async function setPaused(
  tx: EnvironmentTransaction,
  { params: { scheduleId }, caller: { tenant, environment }, deps }: Context,
  paused: boolean,
) {
  const before = existing(await lockSchedule(tx, scheduleId), 'schedule');
  if (before.paused === paused) {
    return {
      reply: { status: 200 as const, data: presentSchedule(before) },
      audit: `none: the schedule was ${paused ? 'paused' : 'running'} already` as const,
    };
  }
  const { cron, timezone } = before;
  const now = new Date();
  const dueAt = dueAfter({ cron, timezone, paused }, now);
  const after = await updateSchedule(tx, before, { ...before, paused, dueAt }, now);
  const told = { environmentName: environment.name, taskQueue: deps.taskQueue };
  return {
    reply: { status: 200 as const, data: presentSchedule(after) },
    audit: scheduleEntry(paused ? 'schedule.paused' : 'schedule.resumed', after),
    after: () => putSchedule(deps.temporal, { ...tenant, scheduleId }, after, told),
  };
}
