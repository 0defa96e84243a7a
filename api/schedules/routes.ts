import type { AnyRoute } from '../http/define-route.ts';
import { createScheduleRoute } from './create-schedule.ts';
import { deleteScheduleRoute } from './delete-schedule.ts';
import { pauseScheduleRoute, resumeScheduleRoute } from './pause-schedule.ts';
import { getScheduleRoute, listRunsRoute, listSchedulesRoute, previewScheduleRoute } from './read-schedules.ts';
import { runScheduleRoute } from './run-schedule.ts';
import { updateScheduleRoute } from './update-schedule.ts';

/** `preview` comes before the ids, or it would be read as one. */
export const scheduleRoutes: AnyRoute[] = [
  listSchedulesRoute,
  createScheduleRoute,
  previewScheduleRoute,
  getScheduleRoute,
  updateScheduleRoute,
  deleteScheduleRoute,
  pauseScheduleRoute,
  resumeScheduleRoute,
  runScheduleRoute,
  listRunsRoute,
];
