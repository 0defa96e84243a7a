import type { AnyRoute } from '../http/define-route.ts';
import { deleteSecretRoute } from './delete-secret.ts';
import { getSecretRoute } from './get-secret.ts';
import { listSecretsRoute } from './list-secrets.ts';
import { putSecretRoute } from './put-secret.ts';

export const secretRoutes: AnyRoute[] = [listSecretsRoute, putSecretRoute, getSecretRoute, deleteSecretRoute];
