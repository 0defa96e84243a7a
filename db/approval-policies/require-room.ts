import {
  LIVE_CONDITION_CHARACTERS_MAX,
  LIVE_POLICIES_BYTES_MAX,
  LIVE_POLICIES_MAX,
  LIVE_RULES_MAX,
} from '../../domain/approval-policies/files.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Enforces the bounds within which every invocation can evaluate its environment's policies. Call it after the change, under
 * `lockPolicies`; an error rolls the change back.
 *
 * @throws {ServiceError} CONFLICT that names the bound.
 */
export async function requireRoom(tx: EnvironmentTransaction): Promise<void> {
  const { rows } = await tx.raw<{ rows: { policies: number; rules: number; bytes: number; characters: number }[] }>(
    `SELECT CAST(count(*) AS integer) AS policies,
       CAST(COALESCE(sum(json_array_length(v.document -> 'rules')), 0) AS integer) AS rules,
       CAST(COALESCE(sum(octet_length(CAST(v.document AS text))), 0) AS integer) AS bytes,
       CAST(COALESCE(sum((SELECT sum(char_length(rule ->> 'when')) FROM json_array_elements(v.document -> 'rules') AS rule)), 0) AS integer) AS characters
     FROM approval_policies p JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     WHERE p.archived_at IS NULL`,
    [],
  );
  const { policies = 0, rules = 0, bytes = 0, characters = 0 } = rows[0] ?? {};
  if (policies > LIVE_POLICIES_MAX) throw noRoom(`${LIVE_POLICIES_MAX} approval policies`);
  if (rules > LIVE_RULES_MAX) throw noRoom(`${LIVE_RULES_MAX} rules in its approval policies together`);
  if (bytes > LIVE_POLICIES_BYTES_MAX) {
    throw noRoom(`${LIVE_POLICIES_BYTES_MAX} bytes of approval policies together`);
  }
  if (characters > LIVE_CONDITION_CHARACTERS_MAX) {
    throw noRoom(`${LIVE_CONDITION_CHARACTERS_MAX} characters of conditions in its approval policies together`);
  }
}

function noRoom(bound: string): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `An environment holds at most ${bound}. Nothing was changed: delete what is not needed first.`,
  });
}
