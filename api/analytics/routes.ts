import type { AnyRoute } from '../http/define-route.ts';
import { deliveryRoute } from './delivery.ts';
import { errorsRoute } from './errors.ts';
import { messagesRoute } from './messages.ts';
import { onboardingRoute } from './onboarding.ts';
import { scheduleExecutionsRoute } from './schedule-executions.ts';
import { schedulesRoute } from './schedules.ts';
import { topUrlsRoute } from './top-urls.ts';
import { usageCurrentRoute, usageHistoryRoute } from './usage.ts';

export const analyticsRoutes: AnyRoute[] = [
  deliveryRoute,
  messagesRoute,
  topUrlsRoute,
  usageCurrentRoute,
  usageHistoryRoute,
  schedulesRoute,
  scheduleExecutionsRoute,
  errorsRoute,
  onboardingRoute,
];
