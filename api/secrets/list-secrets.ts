import { z } from 'zod';
import { listSecrets } from '../../db/secrets/list-secrets.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentSecret, secretSchema } from './schemas.ts';

export const listSecretsRoute = defineRoute({
  id: 'secrets.list',
  method: 'GET',
  path: '/api/v2/secrets',
  summary: 'List secrets, newest first, without their values',
  scope: 'secrets:read',
  request: {},
  response: { 200: z.array(secretSchema) },
  errors: [],
  async list(tx, { page }) {
    const { items, total } = await listSecrets(tx, page);
    return { items: items.map(presentSecret), total };
  },
});
