import type { AnyRoute } from '../http/define-route.ts';
import {
  createCollectionRoute,
  deleteCollectionRoute,
  getCollectionRoute,
  listCollectionsRoute,
  updateCollectionRoute,
} from './collection-routes.ts';
import { deleteMemoryRoute, forgetMemoriesRoute } from './forget-memories.ts';
import { getMemoryJobRoute, ingestMemoriesRoute } from './ingest-memories.ts';
import { getMemoryRoute, listMemoriesRoute, memoryHistoryRoute } from './read-memories.ts';
import { searchMemoriesRoute } from './search-memories.ts';
import { storeMemoryRoute, supersedeMemoryRoute } from './store-memory.ts';

export const memoryRoutes: AnyRoute[] = [
  listCollectionsRoute,
  createCollectionRoute,
  getCollectionRoute,
  updateCollectionRoute,
  deleteCollectionRoute,
  storeMemoryRoute,
  searchMemoriesRoute,
  listMemoriesRoute,
  getMemoryRoute,
  supersedeMemoryRoute,
  memoryHistoryRoute,
  deleteMemoryRoute,
  forgetMemoriesRoute,
  ingestMemoriesRoute,
  getMemoryJobRoute,
];
