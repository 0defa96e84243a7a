import type { EnvironmentTransaction } from '../client.ts';
import type { ApprovalRecord } from './records.ts';

/** The names of what an approval refers to by its id. Someone who left the workspace has none, as to everybody else. */
export interface NamesBeside {
  users: Readonly<Record<string, { name: string; email: string }>>;
  keys: Readonly<Record<string, string>>;
  /** By the id of the client. */
  apps: Readonly<Record<string, string>>;
  policy: string | null;
  /** What whoever made the action says of it. */
  actionDescription: string | null;
}

export async function readNamesBeside(
  tx: EnvironmentTransaction,
  { requestedBy, decisions, approversOfAll, policy, action }: ApprovalRecord,
): Promise<NamesBeside> {
  const actors = [requestedBy, ...decisions.map(({ principal }) => principal)];
  const ids = actors.flatMap(({ id, maker }) => [id, maker].filter((each) => each !== null));
  const { rows } = await tx.raw<{ rows: NamesBeside[] }>(
    `SELECT
       COALESCE((SELECT jsonb_object_agg(u.id, jsonb_build_object('name', u.name, 'email', u.email))
         FROM users u WHERE u.id = ANY(:users)), '{}') AS users,
       COALESCE((SELECT jsonb_object_agg(k.id, k.name) FROM api_keys k WHERE k.id = ANY(:keys)), '{}') AS keys,
       COALESCE((SELECT jsonb_object_agg(g.client_id, g.client_name) FROM oauth_grants g WHERE g.client_id = ANY(:apps)), '{}') AS apps,
       (SELECT p.name FROM approval_policies p WHERE p.id = :policyId) AS policy,
       (SELECT a.description FROM actions a WHERE a.id = :actionId) AS "actionDescription"`,
    {
      users: [...ids, ...approversOfAll.flatMap(({ users = [] }) => users)],
      keys: [...ids, ...approversOfAll.flatMap(({ keys = [] }) => keys)],
      apps: [requestedBy.clientId, ...decisions.map(({ app }) => app?.clientId)].filter((id) => typeof id === 'string'),
      policyId: policy.id,
      actionId: action?.id ?? null,
    },
  );
  return rows[0] ?? { users: {}, keys: {}, apps: {}, policy: null, actionDescription: null };
}
