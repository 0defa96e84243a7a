import { z } from 'zod';
import { listSecrets } from '../../db/secrets/list-secrets.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf } from '../http/pagination.ts';
import { presentSecret, secretSchema } from './schemas.ts';

export const listSecretsRoute = defineRoute({
  id: 'secrets.list',
  method: 'GET',
  path: '/api/v2/secrets',
  summary: 'List secrets, newest first, without their values',
  scope: 'secrets:read',
  request: { query: z.strictObject({ ...pageQuery }) },
  response: { 200: z.array(secretSchema) },
  paginated: true,
  errors: [],
  async handler({ query: { page, limit }, caller, deps }) {
    const { items, total } = await deps.db.withEnvironment(caller.tenant, (tx) =>
      listSecrets(tx, { limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentSecret), pagination: paginationOf(total, page, limit) };
  },
});
