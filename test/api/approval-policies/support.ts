import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../domain/json.ts';
import type { Tenant } from '../../../db/client.ts';
import type { CallResult, TestApi } from '../harness/test-api.ts';

export const POLICIES = '/api/v2/approval-policies';

/** A policy of one rule, under a name of its own; by default the rule allows an action that nobody invokes. */
export function policyDocument(rule: JsonObject = {}, over: JsonObject = {}): JsonObject {
  return {
    schema: 'approval-policy/v1',
    name: `planted ${randomUUID()}`,
    rules: [{ id: 'none', match: { actions: ['no.such.action'] }, effect: 'allow', ...rule }],
    ...over,
  };
}

/** Large refunds take two approvals; a refund of nothing is denied. */
export const REFUNDS = `schema: approval-policy/v1
name: refunds
priority: 10
rules:
  - id: nothing
    match: { actions: ['refund.*'] }
    when: input.amount == 0
    effect: deny
  - id: large
    match: { actions: ['refund.*'] }
    when: input.amount > 50000
    effect: require_approval
    approval: { quorum: 2, approvers: { roles: [admin] }, expiresIn: PT2H }
`;

export interface PolicyClient {
  api: TestApi;
  tenant: Tenant;
  key: string;
  get(path: string): Promise<CallResult>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<CallResult>;
  patch(path: string, body: unknown): Promise<CallResult>;
  remove(path: string): Promise<CallResult>;
  /** Every row of the environment's policies and their versions, to see that nothing changed. */
  rows(): Promise<unknown>;
  /** The action, actor and details of each audit entry about policies, in order. */
  audit(): Promise<{ action: string; target_id: string; details: JsonObject }[]>;
  revision(): Promise<number>;
}

/** A caller in an environment whose key has every scope. */
export async function policyClient(api: TestApi, tenant: Tenant): Promise<PolicyClient> {
  const { key } = await api.createKey(tenant);
  const values = [tenant.environmentId];
  return {
    api,
    tenant,
    key,
    get: (path) => api.call('GET', path, { key }),
    post: (path, body, headers = {}) => api.call('POST', path, { key, body, headers }),
    patch: (path, body) => api.call('PATCH', path, { key, body }),
    remove: (path) => api.call('DELETE', path, { key }),
    rows: async () => ({
      policies: await api.database.asOwner(
        'SELECT * FROM approval_policies WHERE environment_id = $1 ORDER BY id',
        values,
      ),
      versions: await api.database.asOwner(
        'SELECT * FROM approval_policy_versions WHERE environment_id = $1 ORDER BY policy_id, version',
        values,
      ),
      revisions: await api.database.asOwner('SELECT * FROM policy_revisions WHERE environment_id = $1', values),
    }),
    audit: () =>
      api.database.asOwner(
        `SELECT action, target_id, details FROM audit_log WHERE environment_id = $1 AND action LIKE 'approval_policy.%' ORDER BY sequence`,
        values,
      ),
    revision: async () => {
      const rows = await api.database.asOwner<{ revision: string }>(
        'SELECT revision FROM policy_revisions WHERE environment_id = $1',
        values,
      );
      return Number(rows[0]?.revision ?? 0);
    },
  };
}

/** An action that refunds, with the money that it moves. */
export async function createRefundAction(client: PolicyClient, over: JsonObject = {}): Promise<string> {
  const reply = await client.post('/api/v2/actions', {
    name: 'refund.create',
    adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/refunds' } },
    inputSchema: {
      type: 'object',
      required: ['amount'],
      properties: { amount: { type: 'integer' }, note: { type: 'string' } },
    },
    impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
    ...over,
  });
  if (reply.status !== 201) throw new Error(reply.text);
  return 'refund.create';
}
