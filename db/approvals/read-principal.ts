import type { Principal } from '../../domain/approvals/terms.ts';
import type { Role } from '../../domain/roles.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface PrincipalNow extends Principal {
  /** The maker of this key was removed from the workspace, so the key decides nothing. */
  makerLeft: boolean;
}

/**
 * The principal that decides, as of this transaction: a key that is neither revoked nor expired, or a member with the current
 * role. Null for anybody else: a slow request must not decide for a key that was revoked meanwhile. The row is locked, so that a
 * revocation or a change of role either waits for the decision or is seen by it. The maker of a key is not locked; consuming the
 * approval checks again whether they are still a member.
 */
export async function readPrincipal(
  tx: EnvironmentTransaction,
  actor: { type: 'api_key' | 'user'; id: string },
): Promise<PrincipalNow | null> {
  return actor.type === 'api_key' ? readKey(tx, actor.id) : readMember(tx, actor.id, 'FOR SHARE OF m');
}

/** The member who only looks, in a read-only transaction. */
export function lookAtMember(tx: EnvironmentTransaction, userId: string): Promise<PrincipalNow | null> {
  return readMember(tx, userId, '');
}

async function readKey(tx: EnvironmentTransaction, id: string): Promise<PrincipalNow | null> {
  const { rows } = await tx.raw<{ rows: { keyName: string; maker: string | null; makerLeft: boolean }[] }>(
    `SELECT name AS "keyName", created_by AS maker, created_by IS NOT NULL AND NOT EXISTS (
       SELECT FROM members m WHERE m.workspace_id = current_workspace_id() AND m.user_id = created_by) AS "makerLeft"
     FROM api_keys
     WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) FOR SHARE`,
    [id],
  );
  return rows[0] ? { type: 'api_key', id, role: null, email: null, ...rows[0] } : null;
}

async function readMember(
  tx: EnvironmentTransaction,
  id: string,
  lock: 'FOR SHARE OF m' | '',
): Promise<PrincipalNow | null> {
  const { rows } = await tx.raw<{ rows: { role: Role; email: string }[] }>(
    `SELECT m.role, u.email FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id() AND m.user_id = ? ${lock}`,
    [id],
  );
  return rows[0] ? { type: 'user', id, keyName: null, maker: null, makerLeft: false, ...rows[0] } : null;
}
