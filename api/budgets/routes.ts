import { z } from 'zod';
import { deleteBudget, getBudget, listBudgets, lockBudget, putBudget } from '../../db/budgets/budgets.ts';
import { reconcileUsage } from '../../db/budgets/admission.ts';
import { existing, notFound, ServiceError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { presented } from '../http/common-fields.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { budgetParams, budgetSchema, presentBudget, putBudgetBody } from './schemas.ts';

const listRoute = defineRoute({
  of: 'environment',
  id: 'budgets.list',
  method: 'GET',
  path: '/api/v2/budgets',
  summary: 'List the budgets of API keys, newest first',
  scope: 'budgets:read',
  role: 'member',
  response: { 200: z.array(budgetSchema) },
  list: async (tx, { page }) => presented(await listBudgets(tx, page), presentBudget),
});

const getRoute = defineRoute({
  of: 'environment',
  id: 'budgets.get',
  method: 'GET',
  path: '/api/v2/budgets/{apiKeyId}',
  summary: 'Get the budget of an API key',
  scope: 'budgets:read',
  role: 'member',
  request: { params: budgetParams },
  response: { 200: budgetSchema },
  read: async (tx, { params }) => presentBudget(existing(await getBudget(tx, params.apiKeyId), 'budget')),
});

const putRoute = defineRoute({
  of: 'environment',
  id: 'budgets.put',
  method: 'PUT',
  path: '/api/v2/budgets/{apiKeyId}',
  summary: 'Create or replace the budget of an API key',
  description:
    'Caps what the key may use of this service in one UTC month, in microcents. It does not cap model tokens, nor the money ' +
    'that an action moves. What the key used earlier in the month counts too. The cap may be below that: then nothing more ' +
    'is admitted (429 `BUDGET_EXCEEDED`).',
  scope: 'budgets:write',
  role: 'admin',
  request: { params: budgetParams, body: putBudgetBody },
  response: { 200: budgetSchema, 201: budgetSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { apiKeyId }, body }) {
    if (!(await lockBudget(tx, apiKeyId))) throw notFound('API key');
    if (body.usedBefore !== undefined && !(await reconcileUsage(tx, apiKeyId, body.usedBefore))) {
      throw new ServiceError('CONFLICT', {
        message: 'The use of this key is known, and `usedBefore` would count it twice. Leave it out.',
      });
    }
    const put = await putBudget(tx, apiKeyId, body.caps);
    const budget = await getBudget(tx, apiKeyId);
    if (budget === null) throw new Error(`the budget of ${apiKeyId} was put and is gone`);
    return {
      reply: { status: put.created ? 201 : 200, data: presentBudget(budget) },
      audit: {
        action: put.created ? 'budget.created' : 'budget.replaced',
        target: { type: 'api_key', id: apiKeyId },
        details: asJson(body),
      },
    };
  },
});

const deleteRoute = defineRoute({
  of: 'environment',
  id: 'budgets.delete',
  method: 'DELETE',
  path: '/api/v2/budgets/{apiKeyId}',
  summary: 'Remove the budget of an API key',
  description:
    'The key has no cap any more. What it has used this month stays on record, and counts under the next budget.',
  scope: 'budgets:write',
  role: 'admin',
  request: { params: budgetParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  idempotent: true,
  async change(tx, { params: { apiKeyId } }) {
    if (!(await deleteBudget(tx, apiKeyId))) throw notFound('budget');
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'budget.deleted', target: { type: 'api_key', id: apiKeyId } },
    };
  },
});

function asJson(body: object): JsonObject {
  return JSON.parse(JSON.stringify(body)) as JsonObject;
}

export const budgetRoutes: AnyRoute[] = [listRoute, getRoute, putRoute, deleteRoute];
