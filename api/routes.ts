import { actionRoutes } from './actions/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { approvalPolicyRoutes } from './approval-policies/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { billingRoutes } from './billing/routes.ts';
import { cacheRoutes } from './cache/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { budgetRoutes } from './budgets/routes.ts';
import { contextRoutes } from './context/routes.ts';
import { deadLetterRoutes } from './dead-letters/routes.ts';
import { effectRoutes } from './effects/routes.ts';
import { environmentRoutes } from './environments/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { flowControlRoutes } from './flow-control/routes.ts';
import type { AnyRoute } from './http/define-route.ts';
import { impactLimitRoutes } from './impact-limits/routes.ts';
import { integrationRoutes } from './integrations/routes.ts';
import { invocationRoutes } from './invocations/routes.ts';
import { reconciliationRoutes } from './reconciliation/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { memoryRoutes } from './memory/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { scheduleRoutes } from './schedules/routes.ts';
import { previewRoutes } from './previews/routes.ts';
import { toolRoutes } from './tools/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import { runRoutes } from './runs/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { signingKeyRoutes } from './signing-keys/routes.ts';
import { urlGroupRoutes } from './url-groups/routes.ts';

/** In the order of the API reference. */
export const ROUTES: readonly AnyRoute[] = [
  ...authRoutes,
  ...passkeyRoutes,
  ...memberRoutes,
  ...apiKeyRoutes,
  ...environmentRoutes,
  ...auditRoutes,
  ...secretRoutes,
  ...actionRoutes,
  ...toolRoutes,
  ...previewRoutes,
  ...invocationRoutes,
  ...effectRoutes,
  ...approvalPolicyRoutes,
  ...approvalRoutes,
  ...reconciliationRoutes,
  ...impactLimitRoutes,
  ...budgetRoutes,
  ...analyticsRoutes,
  ...billingRoutes,
  ...messageRoutes,
  ...scheduleRoutes,
  ...flowControlRoutes,
  ...signingKeyRoutes,
  ...urlGroupRoutes,
  ...cacheRoutes,
  ...fileRoutes,
  ...eventRoutes,
  ...deadLetterRoutes,
  ...runRoutes,
  ...sessionRoutes,
  ...contextRoutes,
  ...memoryRoutes,
  ...integrationRoutes,
  ...notificationRoutes,
  ...liveRoutes,
];
