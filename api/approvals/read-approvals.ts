import { z } from 'zod';
import { getApproval, listApprovals } from '../../db/approvals/queries.ts';
import type { Tenant } from '../../db/client.ts';
import { notFound } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { defineRoute } from '../http/define-route.ts';
import { longPoll } from '../http/long-poll.ts';
import {
  approvalParams,
  approvalSchema,
  getApprovalQuery,
  listApprovalsQuery,
  listedApprovalSchema,
  presentApproval,
  placeOf,
  presentListedApproval,
  type ShownApproval,
} from './schemas.ts';
import { showApproval, showApprovals } from './show-approvals.ts';

export const listApprovalsRoute = defineRoute({
  of: 'environment',
  id: 'approvals.list',
  method: 'GET',
  path: '/api/v2/approvals',
  summary: 'List approvals, newest first',
  description:
    '`status=pending` lists what waits for a decision. Each approval says in one sentence what will happen. It shows the ' +
    'exact request with credentials hidden, its impact, who asked and why, what remains of the impact limits, and when it ' +
    'expires.',
  scope: 'approvals:read',
  role: 'member',
  request: { query: listApprovalsQuery },
  response: { 200: z.array(listedApprovalSchema) },
  async list(tx, { query, page, caller, deps }) {
    const { items, total } = await listApprovals(tx, { ...query, ...page });
    const place = placeOf(deps, caller);
    const shown = await showApprovals(tx, items);
    return { items: shown.map((each) => presentListedApproval(each, place)), total };
  },
});

export const getApprovalRoute = defineRoute({
  of: 'environment',
  id: 'approvals.get',
  method: 'GET',
  path: '/api/v2/approvals/{id}',
  summary: 'Get an approval, or wait for it',
  description:
    'With `wait`, the reply comes as soon as the approval is no longer pending, or after that many seconds with its state ' +
    'at that time.',
  scope: 'approvals:read',
  role: 'member',
  request: { params: approvalParams, query: getApprovalQuery },
  response: { 200: approvalSchema },
  ownsItsTransaction: 'It waits between its reads, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  async handler({ params, query, caller, deps, signal }) {
    const shown = await longPoll({
      settlements: deps.settlements,
      workspaceId: caller.workspaceId,
      key: params.id,
      timeoutMs: query.wait * 1000,
      signal,
      read: () => read(deps, caller.tenant, params.id),
      isNews: ({ approval }) => approval.status !== 'pending',
    });
    return { status: 200, data: presentApproval(shown, placeOf(deps, caller)) };
  },
});

function read(deps: ApiDependencies, tenant: Tenant, approvalId: string): Promise<ShownApproval> {
  return deps.db.withEnvironment(tenant, async (tx) => {
    const approval = await getApproval(tx, approvalId);
    if (!approval) throw notFound('approval');
    return showApproval(tx, approval);
  });
}
