import { createHash, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';

/** Ids of the rows that `plantRows` made for a tenant. */
export interface PlantedRows {
  actionId: string;
  versionId: string;
  invocationId: string;
  effectId: string;
  evidenceId: string;
  attemptId: string;
}

type Values = Record<string, unknown>;

const DIGEST = `sha256:${'0'.repeat(64)}`;
const CAPABILITIES = {
  idempotent: false,
  idempotencyWindowSeconds: null,
  lookup: 'none',
  replay: false,
  preview: false,
  reversible: false,
};

/** One row in every tenant table below the environment, as the superuser: what another tenant must never see. */
export async function plantRows(owner: Client, tenant: Tenant): Promise<PlantedRows> {
  const environment_id = tenant.environmentId;
  const { actionId, versionId } = await plantAction(owner, tenant);
  const invocationId = await plantInvocation(owner, tenant, { actionId, versionId });
  const effectId = await plantEffect(owner, tenant, { invocationId, versionId });
  const [evidenceId, attemptId, secretId] = [newId('evidence'), newId('attempt'), newId('secret')];
  await insert(owner, 'evidence', {
    id: evidenceId,
    environment_id,
    effect_id: effectId,
    source: 'system',
    observed_at: new Date(0),
    summary: 'planted',
    actor_type: 'system',
  });
  await insert(owner, 'attempts', {
    id: attemptId,
    environment_id,
    invocation_id: invocationId,
    number: 1,
    kind: 'dispatch',
  });
  await insert(owner, 'secrets', { id: secretId, environment_id, name: 'PLANTED', current_version: 1 });
  await insert(owner, 'secret_versions', {
    environment_id,
    secret_id: secretId,
    version: 1,
    master_key_version: 1,
    wrapped_data_key: Buffer.alloc(60),
    sealed_value: Buffer.alloc(60),
  });
  const apiKeyId = newId('apiKey');
  await insert(owner, 'api_keys', {
    id: apiKeyId,
    workspace_id: tenant.workspaceId,
    environment_id,
    name: 'planted',
    key_hash: createHash('sha256').update(randomUUID()).digest(),
    key_prefix: 'service_live_xxxxx',
    scopes: ['actions:read'],
  });
  await insert(owner, 'idempotency_claims', {
    environment_id,
    key: 'planted',
    request_digest: DIGEST,
    holder: randomUUID(),
    lease_expires_at: new Date(),
    expires_at: new Date(),
  });
  // The chain of the workspace grows with it, so audit_chains holds a row of each workspace too.
  await insert(owner, 'audit_log', {
    id: newId('auditEntry'),
    workspace_id: tenant.workspaceId,
    environment_id,
    actor_type: 'system',
    action: 'row.planted',
    target_type: 'row',
    target_id: 'planted',
  });
  await plantReconciliation(owner, tenant, { invocationId, effectId, attemptId });
  await plantBudget(owner, tenant, apiKeyId);
  await plantPreview(owner, tenant, { actionId, versionId, invocationId });
  await plantApproval(owner, tenant);
  await plantPeople(owner, tenant);
  await plantMessage(owner, tenant);
  await plantPolicy(owner, tenant);
  await plantUsage(owner, tenant);
  await plantLimit(owner, tenant, { actionId, versionId });
  return { actionId, versionId, invocationId, effectId, evidenceId, attemptId };
}

/** A member of the workspace, whom they invited, and a session of theirs. */
export async function plantPeople(owner: Client, tenant: Tenant): Promise<{ userId: string }> {
  const userId = newId('user');
  const email = `${userId}@example.test`;
  await insert(owner, 'users', { id: userId, email, name: 'planted', password_hash: 'planted' });
  await insert(owner, 'members', { workspace_id: tenant.workspaceId, user_id: userId, role: 'owner' });
  await insert(owner, 'invitations', {
    id: newId('invitation'),
    workspace_id: tenant.workspaceId,
    email,
    role: 'member',
    token_hash: createHash('sha256').update(randomUUID()).digest(),
    invited_by: userId,
    expires_at: new Date(),
  });
  await insert(owner, 'sign_in_sessions', {
    id: newId('signInSession'),
    user_id: userId,
    token_hash: createHash('sha256').update(randomUUID()).digest(),
    csrf_token: 'planted',
    expires_at: new Date(),
  });
  return { userId };
}

/** As after a resolution of what had been given up, which waited for itself: no such row can come about by itself. */
async function plantReconciliation(
  owner: Client,
  { environmentId: environment_id }: Tenant,
  of: { invocationId: string; effectId: string; attemptId: string },
): Promise<void> {
  await withoutTriggers(owner, async () => {
    await insert(owner, 'resolutions', {
      id: newId('resolution'),
      environment_id,
      invocation_id: of.invocationId,
      effect_id: of.effectId,
      outcome: 'failed',
      previous_outcome: 'unknown',
      partial_effect: 'none',
      summary: 'planted',
      provider_ids: {},
      resolved_by: {},
    });
    await insert(owner, 'late_answers', { attempt_id: of.attemptId, environment_id, observed_outcome: 'unknown' });
    await insert(owner, 'effect_dependencies', {
      invocation_id: of.invocationId,
      environment_id,
      depends_on: of.effectId,
      position: 1,
    });
  });
}

/** A budget, a reservation against it (which makes the row of its use), and a use that nobody knows. */
async function plantBudget(owner: Client, tenant: Tenant, api_key_id: string): Promise<void> {
  const environment_id = tenant.environmentId;
  const month = '2026-01-01';
  await insert(owner, 'budgets', { api_key_id, environment_id, total: 1_000_000 });
  const invocation_id = newId('invocation');
  await insert(owner, 'budget_reservations', { invocation_id, environment_id, api_key_id, month, amount: 1 });
  await insert(owner, 'api_key_unknown_usage', { environment_id, api_key_id, month });
}

/** A preview that nobody used, a draft of one, and what was read for an invocation. */
async function plantPreview(
  owner: Client,
  tenant: Tenant,
  of: { actionId: string; versionId: string; invocationId: string },
): Promise<void> {
  const environment_id = tenant.environmentId;
  await insert(owner, 'previews', {
    id: newId('preview'),
    environment_id,
    action_id: of.actionId,
    version_id: of.versionId,
    adapter_type: 'http.request',
    adapter_version: '1',
    invocation_id: newId('invocation'),
    effect_id: newId('effect'),
    input: {},
    capabilities: CAPABILITIES,
    target: {},
    request: {},
    request_digest: DIGEST,
    impact: '[]',
    blocks: '[]',
    preconditions: {},
    binding_digest: DIGEST,
    evidence_observed_at: new Date(),
    expires_at: new Date(),
    made_by: 'caller',
    created_by: {},
  });
  await insert(owner, 'preview_drafts', {
    id: newId('preview'),
    environment_id,
    version_id: of.versionId,
    invocation_id: newId('invocation'),
    effect_id: newId('effect'),
    operation_key: 'planted',
    input: {},
  });
  await insert(owner, 'observations', {
    invocation_id: of.invocationId,
    sequence: 1,
    environment_id,
    observed_at: new Date(),
    preconditions: {},
    blocks: '[]',
    summary: 'planted',
  });
}

/** A free-standing approval that one of two has agreed to. */
async function plantApproval(owner: Client, { environmentId: environment_id }: Tenant): Promise<void> {
  const approval_id = newId('approval');
  await insert(owner, 'approvals', {
    id: approval_id,
    environment_id,
    kind: 'free_standing',
    title: 'planted',
    summary: 'planted',
    payload: {},
    binding_digest: DIGEST,
    source: 'caller',
    reason: 'planted',
    quorum: 2,
    approvers: '[{}]',
    prevent_self: true,
    requested_by: {},
    expires_at: new Date(Date.now() + 3_600_000),
  });
  await insert(owner, 'approval_decisions', {
    approval_id,
    actor_type: 'api_key',
    actor_id: 'key_planted',
    environment_id,
    decision: 'approve',
    binding_digest: DIGEST,
    authentication: {},
  });
}

/** A message with an attempt and a deduplication window, and a signing key of the workspace. */
async function plantMessage(owner: Client, tenant: Tenant): Promise<void> {
  const id = newId('message');
  const environment_id = tenant.environmentId;
  await insert(owner, 'messages', {
    id,
    environment_id,
    url: 'https://example.com/hook',
    method: 'POST',
    body_kind: 'none',
    max_retries: 5,
    timeout_seconds: 30,
    published_by: {},
    status: 'pending',
    next_attempt_at: new Date(),
  });
  await insert(owner, 'message_attempts', { id: newId('attempt'), environment_id, message_id: id, number: 1 });
  await insert(owner, 'message_deduplications', {
    environment_id,
    digest: Buffer.alloc(32),
    message_id: id,
    expires_at: new Date(),
  });
  await insert(owner, 'signing_keys', {
    id: newId('signingKey'),
    workspace_id: tenant.workspaceId,
    prefix: 'whsec_xxxx',
    master_key_version: 1,
    wrapped_data_key: Buffer.alloc(60),
    sealed_value: Buffer.alloc(60),
    retires_at: new Date(), // of the newest there is one only
  });
}

/** An impact limit with a crossing, and a reservation of an effect that is under way. */
async function plantLimit(
  owner: Client,
  tenant: Tenant,
  action: Pick<PlantedRows, 'actionId' | 'versionId'>,
): Promise<void> {
  const environment_id = tenant.environmentId;
  const limit_id = newId('impactLimit');
  const of = { limit_id, period: 'lifetime', environment_id };
  const terms = { dimension: 'planted', cap: 10, period: 'lifetime', timezone: 'UTC', scope: {}, thresholds: [] };
  await insert(owner, 'impact_limits', { id: limit_id, environment_id, name: 'planted', ...terms });
  const invocationId = await plantInvocation(owner, tenant, action);
  await withoutTriggers(owner, async () => {
    const underWay = { stage: 'dispatching', outcome: 'pending' };
    const effect_id = await plantEffect(owner, tenant, { invocationId, versionId: action.versionId }, underWay);
    await insert(owner, 'impact_limit_periods', { ...of, reserved: 1 });
    await insert(owner, 'impact_limit_crossings', { ...of, threshold: 10, used: 1, cap: 10 });
    await insert(owner, 'impact_reservations', { ...of, id: newId('reservation'), effect_id, amount: 1 });
  });
}

/** An approval policy with its version, which moves the environment's revision, and a plan. */
async function plantPolicy(owner: Client, tenant: Tenant): Promise<void> {
  const policyId = newId('approvalPolicy');
  const environment_id = tenant.environmentId;
  await owner.query('BEGIN'); // the policy names its version, and the version its policy: checked at the commit
  await insert(owner, 'approval_policies', {
    id: policyId,
    environment_id,
    name: policyId,
    priority: 0,
    current_version: 1,
  });
  await insert(owner, 'approval_policy_versions', {
    policy_id: policyId,
    version: 1,
    environment_id,
    digest: DIGEST,
    document: { name: policyId, priority: 0 },
    created_by: {},
  });
  await owner.query('COMMIT');
  await insert(owner, 'policy_plans', {
    id: newId('policyPlan'),
    environment_id,
    base_revision: 0,
    digest: DIGEST,
    changes: '[]',
    created_by: {},
    expires_at: new Date(),
  });
}

/** Of the workspace, so that its environments share it. */
async function plantUsage(owner: Client, tenant: Tenant): Promise<void> {
  await owner.query(
    `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used) VALUES ($1, '2026-01-01', 'executions', 0, 1)
     ON CONFLICT DO NOTHING`,
    [tenant.workspaceId],
  );
}

async function plantAction(owner: Client, tenant: Tenant): Promise<{ actionId: string; versionId: string }> {
  const [actionId, versionId] = [newId('action'), newId('actionVersion')];
  const environment_id = tenant.environmentId;
  await owner.query('BEGIN'); // the action names its version, and the version its action: checked at the commit
  await insert(owner, 'actions', {
    id: actionId,
    environment_id,
    name: `planted-${actionId.toLowerCase()}`,
    current_version_id: versionId,
  });
  await insert(owner, 'action_versions', {
    id: versionId,
    environment_id,
    action_id: actionId,
    number: 1,
    digest: DIGEST,
    definition: {},
    created_by: {},
  });
  await owner.query('COMMIT');
  return { actionId, versionId };
}

export async function plantInvocation(
  owner: Client,
  tenant: Tenant,
  of: { actionId: string; versionId: string },
): Promise<string> {
  const id = newId('invocation');
  await insert(owner, 'invocations', {
    id,
    environment_id: tenant.environmentId,
    action_id: of.actionId,
    version_id: of.versionId,
    operation_key: id,
    request_digest: DIGEST,
    input: {},
    requested_by: {},
  });
  return id;
}

export async function plantEffect(
  owner: Client,
  tenant: Tenant,
  of: { invocationId: string; versionId: string },
  over: Values = {},
): Promise<string> {
  const id = newId('effect');
  await insert(owner, 'effects', {
    id,
    environment_id: tenant.environmentId,
    invocation_id: of.invocationId,
    operation_key: of.invocationId,
    action_name: 'planted',
    version_id: of.versionId,
    adapter_type: 'http.request',
    adapter_version: '1',
    capabilities: CAPABILITIES,
    target: {},
    request: {},
    request_digest: DIGEST,
    impact: '[]',
    stage: 'ready',
    ...over,
  });
  return id;
}

/** Runs `work` with the triggers of the owner's session off, so that a row can be put in any place of its life. */
export async function withoutTriggers<T>(owner: Client, work: () => Promise<T>): Promise<T> {
  await owner.query("SET session_replication_role = 'replica'");
  try {
    return await work();
  } finally {
    await owner.query("SET session_replication_role = 'origin'");
  }
}

export async function insert(owner: Client, table: string, values: Values): Promise<void> {
  const columns = Object.keys(values);
  const places = columns.map((_column, index) => `$${index + 1}`);
  await owner.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
    Object.values(values),
  );
}
