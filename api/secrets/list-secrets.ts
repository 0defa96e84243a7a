import { z } from 'zod';
import { listSecrets } from '../../db/secrets/secrets.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentSecret, secretSchema } from './schemas.ts';

export const listSecretsRoute = defineRoute({
  of: 'environment',
  id: 'secrets.list',
  method: 'GET',
  path: '/api/v2/secrets',
  summary: 'List secrets, newest first, without their values',
  scope: 'secrets:read',
  role: 'admin',
  response: { 200: z.array(secretSchema) },
  list: async (tx, { page }) => presented(await listSecrets(tx, page), presentSecret),
});
