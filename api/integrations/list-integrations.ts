import { z } from 'zod';
import { listIntegrations } from '../../db/integrations/list-integrations.ts';
import { defineRoute } from '../http/define-route.ts';
import { integrationSchema, presentIntegration } from './schemas.ts';

export const listIntegrationsRoute = defineRoute({
  id: 'integrations.list',
  method: 'GET',
  path: '/api/v2/integrations',
  summary: 'List integrations, newest first, without their credentials',
  scope: 'integrations:read',
  role: 'member',
  request: {},
  response: { 200: z.array(integrationSchema) },
  errors: [],
  async list(tx, { page }) {
    const { items, total } = await listIntegrations(tx, page);
    return { items: items.map(presentIntegration), total };
  },
});
