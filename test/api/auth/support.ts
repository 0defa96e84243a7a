import { randomUUID } from 'node:crypto';
import { newId } from '../../../domain/ids.ts';
import type { TestApi } from '../harness/test-api.ts';

/** An action, an invocation and its effect, made as the superuser. Returns the effect's id. */
export async function plantInvocationRows(api: TestApi): Promise<string> {
  const { key } = await api.createKey(api.database.tenant);
  const adapter = { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } };
  const made = await api.call('POST', '/api/v2/actions', {
    key,
    body: { name: `planted-${randomUUID()}`, adapter },
  });
  const [invocationId, effectId] = [newId('invocation'), newId('effect')];
  await api.database.asOwner(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
     SELECT $1, v.environment_id, v.action_id, v.id, $1, 'sha256:planted', '{}', '{}' FROM action_versions v WHERE v.action_id = $2`,
    [invocationId, (made.json as { data: { id: string } }).data.id],
  );
  await api.database.asOwner(
    `INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type,
       adapter_version, capabilities, target, request, request_digest, impact, stage)
     SELECT $1, environment_id, id, operation_key, 'planted', version_id, 'http.request', '1',
       '{"idempotent":false,"idempotencyWindowSeconds":null,"lookup":"none","replay":false,"preview":false,"reversible":false}',
       '{}', '{}', 'sha256:planted', '[]', 'ready' FROM invocations WHERE id = $2`,
    [effectId, invocationId],
  );
  return effectId;
}
