import type { AnyRoute } from '../http/define-route.ts';
import { createKeyRoute, deleteKeyRoute } from './create-key.ts';
import {
  pauseKeyRoute,
  pinKeyRoute,
  resetRateRoute,
  resumeKeyRoute,
  unpinKeyRoute,
  updateKeyRoute,
} from './operate-key.ts';
import { getKeyRoute, getStatusRoute, listKeysRoute } from './read-keys.ts';

export const flowControlRoutes: AnyRoute[] = [
  listKeysRoute,
  createKeyRoute,
  getKeyRoute,
  updateKeyRoute,
  deleteKeyRoute,
  getStatusRoute,
  pauseKeyRoute,
  resumeKeyRoute,
  pinKeyRoute,
  unpinKeyRoute,
  resetRateRoute,
];
