import { z } from 'zod';
import { getSchedule, listRuns, listSchedules } from '../../db/schedules/queries.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import { PREVIEW_TIMES } from '../../domain/schedules/schedules.ts';
import { nextSlots } from '../../domain/schedules/slots.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  listedScheduleSchema,
  presentListedSchedule,
  presentRun,
  presentSchedule,
  previewQuery,
  previewSchema,
  runSchema,
  scheduleParams,
  scheduleSchema,
} from './schemas.ts';

export const listSchedulesRoute = defineRoute({
  of: 'environment',
  id: 'schedules.list',
  method: 'GET',
  path: '/api/v2/schedules',
  summary: 'List schedules, newest first',
  scope: 'schedules:read',
  role: 'member',
  response: { 200: z.array(listedScheduleSchema) },
  list: async (tx, { page }) => presented(await listSchedules(tx, page), presentListedSchedule),
});

export const getScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.get',
  method: 'GET',
  path: '/api/v2/schedules/{scheduleId}',
  summary: 'Get a schedule',
  scope: 'schedules:read',
  role: 'member',
  request: { params: scheduleParams },
  response: { 200: scheduleSchema },
  read: async (tx, { params }) => presentSchedule(existing(await getSchedule(tx, params.scheduleId), 'schedule')),
});

export const listRunsRoute = defineRoute({
  of: 'environment',
  id: 'schedules.runs',
  method: 'GET',
  path: '/api/v2/schedules/{scheduleId}/runs',
  summary: 'List the runs of a schedule, newest first',
  description:
    'What became of each slot, with the messages that it published as they are now. The newest 1,000 are kept.',
  scope: 'schedules:read',
  role: 'member',
  request: { params: scheduleParams },
  response: { 200: z.array(runSchema) },
  async list(tx, { params: { scheduleId }, page }) {
    if ((await getSchedule(tx, scheduleId)) === null) throw notFound('schedule');
    return presented(await listRuns(tx, { scheduleId, ...page }), (run) => presentRun(scheduleId, run));
  },
});

export const previewScheduleRoute = defineRoute({
  of: 'environment',
  id: 'schedules.preview',
  method: 'GET',
  path: '/api/v2/schedules/preview',
  summary: 'Preview the next ten times of a cron expression',
  scope: 'schedules:read',
  role: 'member',
  request: { query: previewQuery },
  response: { 200: previewSchema },
  read(_tx, { query: { cron, timezone = 'UTC' } }) {
    const times = nextSlots(parseCron(cron), timezone, new Date(), PREVIEW_TIMES);
    return Promise.resolve({ cron, timezone, times: times.map((time) => time.toISOString()) });
  },
});
