import type { ActionDefinition } from '../../domain/actions.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface ClaimedDispatch {
  attemptId: string;
  invocationId: string;
  effectId: string | null;
  operationKey: string;
  input: JsonObject;
  definition: ActionDefinition;
  /** The digest that the effect is bound to, or the preview of an approved plain invocation; null where nothing is bound. */
  requestDigest: string | null;
  /** The secret versions, by name, that the preview (for a replay, the first request) is bound to; null where none are. */
  boundSecretVersions: Record<string, number> | null;
}

/**
 * Claims the one dispatch of an invocation. Only the first claim gets it: any later caller (a retried task, a second worker,
 * a replayed message) gets null and must not send.
 */
export async function claimDispatch(tx: EnvironmentTransaction, invocationId: string): Promise<ClaimedDispatch | null> {
  const { rows } = await tx.raw<{ rows: ClaimedDispatch[] }>(
    `WITH claimed AS (
       UPDATE attempts SET claimed_at = now()
       WHERE invocation_id = :invocationId AND kind = 'dispatch' AND status = 'started' AND claimed_at IS NULL
       RETURNING id)
     SELECT c.id AS "attemptId", i.id AS "invocationId", i.effect_id AS "effectId", i.operation_key AS "operationKey", i.input,
       v.definition, COALESCE(e.request_digest, p.request_digest) AS "requestDigest", p.preconditions -> 'secretVersions' AS "boundSecretVersions"
     FROM claimed c JOIN invocations i ON i.id = :invocationId JOIN action_versions v ON v.id = i.version_id
       LEFT JOIN effects e ON e.invocation_id = :invocationId LEFT JOIN previews p ON p.id = i.preview_id`,
    { invocationId },
  );
  return rows[0] ?? null;
}
