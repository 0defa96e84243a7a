import type { WorkspaceTransaction } from '../client.ts';
import { MEMBER_COLUMNS, type MemberRecord } from './records.ts';

/** The members of the transaction's workspace, the newest first. */
export async function listMembers(
  tx: WorkspaceTransaction,
  page: { limit: number; offset: number },
): Promise<{ total: number; items: MemberRecord[] }> {
  const { rows: counted } = await tx.raw<{ rows: { total: number }[] }>('SELECT count(*)::int AS total FROM members');
  const { rows: items } = await tx.raw<{ rows: MemberRecord[] }>(
    `SELECT ${MEMBER_COLUMNS} FROM members m JOIN users u ON u.id = m.user_id
     ORDER BY m.created_at DESC, m.user_id DESC LIMIT ? OFFSET ?`,
    [page.limit, page.offset],
  );
  return { total: counted[0]?.total ?? 0, items };
}
