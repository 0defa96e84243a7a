import type { WorkspaceTransaction } from '../client.ts';
import { MEMBER_COLUMNS, type MemberRecord } from './records.ts';

export interface LockedMember {
  member: MemberRecord;
  /** True where the workspace has no other owner. */
  isLastOwner: boolean;
}

/** Locks a member of the transaction's workspace together with its owners, in id order, until the commit. */
export async function lockMember(tx: WorkspaceTransaction, userId: string): Promise<LockedMember | null> {
  const { rows } = await tx.raw<{ rows: MemberRecord[] }>(
    `SELECT ${MEMBER_COLUMNS} FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.user_id = ? OR m.role = 'owner' ORDER BY m.user_id FOR UPDATE OF m`,
    [userId],
  );
  const member = rows.find((row) => row.userId === userId);
  if (member === undefined) return null;
  const otherOwners = rows.filter((row) => row.role === 'owner' && row.userId !== userId);
  return { member, isLastOwner: member.role === 'owner' && otherOwners.length === 0 };
}
