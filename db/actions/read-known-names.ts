import type { JsonObject } from '../../domain/json.ts';
import { KNOWN_ACTIONS_MAX, type KnownAction, type KnownNames } from '../../domain/impact-limits/known-names.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What the policies and limits of the transaction's environment may refer to. */
export async function readKnownNames(tx: EnvironmentTransaction): Promise<KnownNames> {
  const { rows: actions } = await tx.raw<{ rows: KnownAction[] }>(
    `SELECT a.name, v.definition->'approval'->>'tag' AS tag, v.definition->'adapter'->>'type' AS "adapterType",
       v.definition->'adapter'->>'version' AS "adapterVersion", v.definition->'impact' AS impact
     FROM actions a JOIN action_versions v ON v.id = a.current_version_id
     WHERE a.environment_id = current_environment_id() AND a.archived_at IS NULL LIMIT ?`,
    [KNOWN_ACTIONS_MAX + 1],
  );
  const { rows: keys } = await tx.raw<{ rows: KnownNames['keys'] }>(
    `SELECT id, name, 'approvals:decide' = ANY (scopes) AS "canDecide" FROM api_keys
     WHERE environment_id = current_environment_id() AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [],
  );
  const { rows: members } = await tx.raw<{ rows: KnownNames['members'] }>(
    `SELECT m.user_id AS id, u.email, m.role FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id()`,
    [],
  );
  return { actions: actions.length > KNOWN_ACTIONS_MAX ? null : actions, keys, members };
}

/** They are parsed on the event loop. */
const INPUT_SCHEMAS_BYTES_MAX = 1_048_576;

/** The input schemas of the environment's live actions by name: the smallest first, as many as fit into 1 MiB together. */
export async function readInputSchemas(tx: EnvironmentTransaction): Promise<Map<string, JsonObject>> {
  const { rows } = await tx.raw<{ rows: { name: string; schema: JsonObject }[] }>(
    `SELECT name, schema FROM (
       SELECT a.name, v.definition->'inputSchema' AS schema,
         sum(octet_length((v.definition->'inputSchema')::text)) OVER (ORDER BY octet_length((v.definition->'inputSchema')::text), a.name) AS bytes
       FROM actions a JOIN action_versions v ON v.id = a.current_version_id
       WHERE a.environment_id = current_environment_id() AND a.archived_at IS NULL) sized
     WHERE bytes <= ?`,
    [INPUT_SCHEMAS_BYTES_MAX],
  );
  return new Map(rows.map(({ name, schema }) => [name, schema]));
}
