import { z } from 'zod';
import { listIntegrations } from '../../db/integrations/integrations.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { integrationSchema, presentIntegration } from './schemas.ts';

export const listIntegrationsRoute = defineRoute({
  of: 'environment',
  id: 'integrations.list',
  method: 'GET',
  path: '/api/v2/integrations',
  summary: 'List integrations, newest first, without their credentials',
  scope: 'integrations:read',
  role: 'member',
  response: { 200: z.array(integrationSchema) },
  list: async (tx, { page }) => presented(await listIntegrations(tx, page), presentIntegration),
});
