import type { AnyRoute } from '../http/define-route.ts';
import { agentsRoute } from './agents.ts';
import { overviewRoute } from './overview.ts';
import { timeSeriesRoute } from './time-series.ts';
import { trustControlRoute } from './trust-control.ts';

export const analyticsRoutes: AnyRoute[] = [overviewRoute, agentsRoute, trustControlRoute, timeSeriesRoute];
