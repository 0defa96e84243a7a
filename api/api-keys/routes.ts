import type { AnyRoute } from '../http/define-route.ts';
import { createApiKeyRoute } from './create-api-key.ts';
import { deleteApiKeyRoute } from './delete-api-key.ts';
import { listApiKeysRoute } from './list-api-keys.ts';

export const apiKeyRoutes: AnyRoute[] = [listApiKeysRoute, createApiKeyRoute, deleteApiKeyRoute];
