import type { AnyRoute } from '../http/define-route.ts';
import { cancelRunRoute, createRunRoute, updateRunRoute } from './change-runs.ts';
import { ingestTracesRoute } from './otlp/ingest-route.ts';
import { getRunRoute, listRunsRoute } from './read-runs.ts';
import { getSpanRoute, listSpansRoute, updateSpanRoute, upsertSpansRoute } from './spans.ts';

export const runRoutes: AnyRoute[] = [
  listRunsRoute,
  createRunRoute,
  getRunRoute,
  updateRunRoute,
  cancelRunRoute,
  listSpansRoute,
  upsertSpansRoute,
  getSpanRoute,
  updateSpanRoute,
  ingestTracesRoute,
];
