import type { AnyRoute } from '../http/define-route.ts';
import { cacheStatsRoute, deleteEntryRoute, flushCacheRoute, getEntryRoute, listEntriesRoute } from './entry-routes.ts';
import { lookUpRoute } from './look-up.ts';
import { storeEntryRoute } from './store-entry.ts';

export const cacheRoutes: AnyRoute[] = [
  listEntriesRoute,
  storeEntryRoute,
  lookUpRoute,
  flushCacheRoute,
  cacheStatsRoute,
  getEntryRoute,
  deleteEntryRoute,
];
