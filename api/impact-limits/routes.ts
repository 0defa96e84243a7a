import type { AnyRoute } from '../http/define-route.ts';
import { archiveLimitRoute } from './archive-impact-limit.ts';
import { createLimitRoute } from './create-impact-limit.ts';
import { getLimitRoute, listLimitsRoute } from './read-impact-limits.ts';
import { updateLimitRoute } from './update-impact-limit.ts';

export const impactLimitRoutes: AnyRoute[] = [
  listLimitsRoute,
  createLimitRoute,
  getLimitRoute,
  updateLimitRoute,
  archiveLimitRoute,
];
