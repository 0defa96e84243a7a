import type { WorkspaceTransaction } from '../client.ts';
import { MEMBER_COLUMNS, type MemberRecord } from './records.ts';

export interface LockedMember {
  member: MemberRecord;
  /** No other owner would remain. */
  isLastOwner: boolean;
}

/** A member of the transaction's workspace, locked together with its owners, in the order of ids, until the commit. */
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
