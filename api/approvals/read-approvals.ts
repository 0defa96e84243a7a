import { z } from 'zod';
import { getApproval } from '../../db/approvals/get-approval.ts';
import { listApprovals } from '../../db/approvals/list-approvals.ts';
import type { Tenant } from '../../db/client.ts';
import { notFound } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { abortWith, RequestAbortedError } from '../http/client-gone.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  approvalParams,
  approvalSchema,
  getApprovalQuery,
  listApprovalsQuery,
  listedApprovalSchema,
  presentApproval,
  presentListedApproval,
  type ShownApproval,
} from './schemas.ts';
import { showApproval, showApprovals } from './show-approvals.ts';

export const listApprovalsRoute = defineRoute({
  id: 'approvals.list',
  method: 'GET',
  path: '/api/v2/approvals',
  summary: 'List approvals, newest first',
  description:
    'With `status=pending`, what waits for somebody: each says in a sentence what will happen, and holds the exact request with ' +
    'credentials hidden, the impact, who asked, why it is asked for, what remains of the impact limits, and when it expires.',
  scope: 'approvals:read',
  role: 'member',
  request: { query: listApprovalsQuery },
  response: { 200: z.array(listedApprovalSchema) },
  errors: [],
  async list(tx, { query, page }) {
    const { items, total } = await listApprovals(tx, { ...query, ...page });
    return { items: (await showApprovals(tx, items)).map(presentListedApproval), total };
  },
});

export const getApprovalRoute = defineRoute({
  id: 'approvals.get',
  method: 'GET',
  path: '/api/v2/approvals/{id}',
  summary: 'Get an approval, or wait for it',
  description:
    'With `wait`, answers as soon as the approval is no longer pending, and after so many seconds at the latest with what there is then.',
  scope: 'approvals:read',
  role: 'member',
  request: { params: approvalParams, query: getApprovalQuery },
  response: { 200: approvalSchema },
  errors: ['NOT_FOUND'],
  ownsItsTransaction: 'It waits between its reads, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  async handler({ params, query, caller, deps, signal }) {
    const shown = await waitFor(deps, caller.tenant, params.id, query.wait * 1000, signal);
    return { status: 200, data: presentApproval(shown) };
  },
});

/** Registers for the notification before it reads, so that no decision is missed in between. */
async function waitFor(
  deps: ApiDependencies,
  tenant: Tenant,
  approvalId: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ShownApproval> {
  const deadline = Date.now() + timeoutMs;
  const done = new AbortController();
  const release = abortWith(signal, done);
  let isOver = false;
  try {
    for (;;) {
      const remainingMs: number = isOver ? 0 : deadline - Date.now();
      const woken = remainingMs > 0 ? deps.settlements.poll(approvalId, remainingMs, done.signal) : null;
      const shown = await read(deps, tenant, approvalId);
      if (woken === null || shown.approval.status !== 'pending') return shown;
      isOver = (await woken) === 'timeout'; // read again, whatever ended the wait
      if (signal.aborted) throw new RequestAbortedError();
    }
  } finally {
    release();
    done.abort();
  }
}

function read(deps: ApiDependencies, tenant: Tenant, approvalId: string): Promise<ShownApproval> {
  return deps.db.withEnvironment(tenant, async (tx) => {
    const approval = await getApproval(tx, approvalId);
    if (!approval) throw notFound('approval');
    return showApproval(tx, approval);
  });
}
