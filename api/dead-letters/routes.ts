import type { AnyRoute } from '../http/define-route.ts';
import { clearRoute, retryAllRoute } from './ask-for-jobs.ts';
import { deleteDeadLetterRoute, retryDeadLetterRoute } from './change-dead-letters.ts';
import { cancelJobRoute, getJobRoute, listJobsRoute } from './job-routes.ts';
import { deadLetterStatsRoute, getDeadLetterRoute, listDeadLettersRoute } from './read-dead-letters.ts';

export const deadLetterRoutes: AnyRoute[] = [
  listDeadLettersRoute,
  deadLetterStatsRoute,
  getDeadLetterRoute,
  retryDeadLetterRoute,
  deleteDeadLetterRoute,
  retryAllRoute,
  clearRoute,
  listJobsRoute,
  getJobRoute,
  cancelJobRoute,
];
