import type { AnyRoute } from '../http/define-route.ts';
import { agentsRoute } from './agents.ts';
import { deliveryRoute } from './delivery.ts';
import { errorsRoute } from './errors.ts';
import { messagesRoute } from './messages.ts';
import { onboardingRoute } from './onboarding.ts';
import { overviewRoute } from './overview.ts';
import { scheduleExecutionsRoute } from './schedule-executions.ts';
import { schedulesRoute } from './schedules.ts';
import { timeSeriesRoute } from './time-series.ts';
import { topUrlsRoute } from './top-urls.ts';
import { trustControlRoute } from './trust-control.ts';
import { usageCurrentRoute, usageHistoryRoute } from './usage.ts';

export const analyticsRoutes: AnyRoute[] = [
  overviewRoute,
  agentsRoute,
  trustControlRoute,
  deliveryRoute,
  messagesRoute,
  timeSeriesRoute,
  topUrlsRoute,
  usageCurrentRoute,
  usageHistoryRoute,
  schedulesRoute,
  scheduleExecutionsRoute,
  errorsRoute,
  onboardingRoute,
];
