import type { AnyRoute } from '../http/define-route.ts';

export const analyticsRoutes: AnyRoute[] = [];
