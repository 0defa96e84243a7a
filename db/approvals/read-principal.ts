import type { Principal } from '../../domain/approvals/terms.ts';
import type { Role } from '../../domain/roles.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Who decides, as they are in this transaction: a key that is neither revoked nor expired, a member with the role of now. Null
 * for anybody else: a request that was long under way must not decide for a key that was revoked meanwhile. The row is
 * locked, so that a revocation, or a change of the role, waits for the decision or is found by it.
 */
export async function readPrincipal(
  tx: EnvironmentTransaction,
  actor: { type: 'api_key' | 'user'; id: string },
): Promise<Principal | null> {
  return actor.type === 'api_key' ? readKey(tx, actor.id) : readMember(tx, actor.id);
}

async function readKey(tx: EnvironmentTransaction, id: string): Promise<Principal | null> {
  const { rows } = await tx.raw<{ rows: { keyName: string }[] }>(
    `SELECT name AS "keyName" FROM api_keys
     WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) FOR SHARE`,
    [id],
  );
  return rows[0] ? { type: 'api_key', id, keyName: rows[0].keyName, role: null, email: null } : null;
}

async function readMember(tx: EnvironmentTransaction, id: string): Promise<Principal | null> {
  const { rows } = await tx.raw<{ rows: { role: Role; email: string }[] }>(
    `SELECT m.role, u.email FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id() AND m.user_id = ? FOR SHARE OF m`,
    [id],
  );
  return rows[0] ? { type: 'user', id, keyName: null, ...rows[0] } : null;
}
