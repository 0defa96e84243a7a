import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { decide } from '../../../api/approvals/decide.ts';
import type { Caller as HttpCaller } from '../../../api/http/callers.ts';
import type { ApprovalRecord } from '../../../db/approvals/records.ts';
import type { Decision } from '../../../domain/approvals/approval.ts';
import type { Scope } from '../../../domain/scopes.ts';
import { approvalSchema } from '../../../api/approvals/schemas.ts';
import type { Tenant } from '../../../db/client.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { type Caller, dataOf, type Invocation, invocationIn } from '../invocations/support.ts';

export type Approval = z.infer<typeof approvalSchema>;
export const approvalIn = (reply: CallResult): Approval => dataOf(reply, approvalSchema);
export const approvalsIn = (reply: CallResult): Approval[] => dataOf(reply, z.array(approvalSchema));

/** A caller in one environment with their own key. */
export interface KeyClient extends Caller {
  keyId: string;
  key: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<CallResult>;
}

export async function keyClient(
  service: TestService,
  tenant: Tenant,
  input?: Parameters<TestService['createKey']>[1],
): Promise<KeyClient> {
  const { key, record } = await service.createKey(tenant, input);
  const call: KeyClient['call'] = (method, path, body, headers = {}) =>
    service.call(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
  return {
    key,
    keyId: record.id,
    call,
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
  };
}

export async function readApproval(client: Caller, approvalId: string | null, wait = 0): Promise<Approval> {
  if (approvalId === null) throw new Error('there is no approval');
  return approvalIn(await client.get(`/api/v2/approvals/${approvalId}?wait=${wait}`));
}

export function approve(client: Caller, approval: Pick<Approval, 'id' | 'bindingDigest'>): Promise<CallResult> {
  return client.post(`/api/v2/approvals/${approval.id}/approve`, { bindingDigest: approval.bindingDigest });
}

export function deny(client: Caller, approval: Pick<Approval, 'id'>, note = 'Not this one.'): Promise<CallResult> {
  return client.post(`/api/v2/approvals/${approval.id}/deny`, { note });
}

/** Over 500 USD a refund takes two people. */
export function largeRefunds(rule: JsonObject = {}, action = 'refund.*'): JsonObject {
  return {
    schema: 'approval-policy/v1',
    name: `large refunds ${randomUUID()}`,
    rules: [
      {
        id: 'over-500-usd',
        match: { actions: [action] },
        when: 'impact.exists(i, i.dimension == "money" && i.currency == "usd" && i.amount > 50000)',
        effect: 'require_approval',
        approval: { quorum: 2, expiresIn: 'PT2H' },
        ...rule,
      },
      { id: 'small', match: { actions: [action] }, effect: 'allow' },
    ],
  };
}

export async function putPolicy(client: Caller, document: JsonObject): Promise<{ id: string; version: number }> {
  const reply = await client.post('/api/v2/approval-policies', { document });
  if (reply.status !== 201) throw new Error(reply.text);
  return (reply.json as { data: { id: string; version: number } }).data;
}

/** Polls an invocation until it rests in one of these statuses. */
export async function untilStatus(
  client: Caller,
  invocationId: string,
  statuses: readonly Invocation['status'][],
  timeoutMs = 60_000,
): Promise<Invocation> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const invocation = invocationIn(await client.get(`/api/v2/actions/invocations/${invocationId}`));
    if (statuses.includes(invocation.status)) return invocation;
    if (Date.now() > deadline) throw new Error(`invocation ${invocationId} is still ${invocation.status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Resolves once the approval's workflow has read its row and is waiting; from then on it must be notified of a decision. */
export async function untilWatched(service: TestService, approvalId: string, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await service.database.asOwner<{ awaited_status: string | null }>(
      'SELECT awaited_status FROM approvals WHERE id = $1',
      [approvalId],
    );
    if (row?.awaited_status === 'pending') return;
    if (Date.now() > deadline) throw new Error(`nobody waits for approval ${approvalId}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The decision of an API process that dies right after its commit: no workflow is notified. */
export async function decideSilently(
  service: TestService,
  decider: KeyClient,
  approval: Pick<Approval, 'id' | 'bindingDigest'>,
  decision: Decision = 'approve',
): Promise<ApprovalRecord> {
  const { production: tenant } = service.database.tenants;
  const caller: HttpCaller = {
    type: 'api_key',
    keyId: decider.keyId,
    workspaceId: tenant.workspaceId,
    tenant,
    environment: { id: tenant.environmentId, name: 'Production', kind: 'production', protected: true },
    scopes: new Set<Scope>(['approvals:decide']),
    preset: null,
    expiresAt: null,
  };
  return service.database.db.withEnvironment(tenant, (tx) =>
    decide(tx, {
      approvalId: approval.id,
      decision,
      bindingDigest: decision === 'approve' ? approval.bindingDigest : null,
      note: decision === 'approve' ? null : 'no',
      caller,
      actor: { type: 'api_key', id: decider.keyId },
    }),
  );
}
