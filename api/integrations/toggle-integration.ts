import { toggleIntegration } from '../../db/integrations/integrations.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { integrationParams, toggleBody, toggledSchema } from './schemas.ts';

export const toggleIntegrationRoute = defineRoute({
  of: 'environment',
  id: 'integrations.toggle',
  method: 'PATCH',
  path: '/api/v2/integrations/{id}/toggle',
  summary: 'Turn an integration on or off',
  description: 'While it is off, nothing is posted and no click decides.',
  scope: 'integrations:write',
  role: 'admin',
  request: { params: integrationParams, body: toggleBody },
  response: { 200: toggledSchema },
  async change(tx, { params: { id }, body: { isActive } }) {
    if (!(await toggleIntegration(tx, id, isActive))) throw notFound('integration');
    return {
      reply: { status: 200, data: { message: `The integration is ${isActive ? 'on' : 'off'}.`, isActive } },
      audit: { action: 'integration.toggled', target: { type: 'integration', id }, details: { isActive } },
    };
  },
});
