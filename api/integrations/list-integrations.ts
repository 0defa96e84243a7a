import { z } from 'zod';
import { listIntegrations } from '../../db/integrations/list-integrations.ts';
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
  async list(tx, { page }) {
    const { items, total } = await listIntegrations(tx, page);
    return { items: items.map(presentIntegration), total };
  },
});
