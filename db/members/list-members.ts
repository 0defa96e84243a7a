import { type Page, pageOf, type Range } from '../page.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { MEMBER_COLUMNS, type MemberRecord } from './records.ts';

/** The members of the transaction's workspace, the newest first. */
export async function listMembers(tx: WorkspaceTransaction, range: Range): Promise<Page<MemberRecord>> {
  return pageOf(tx, {
    columns: MEMBER_COLUMNS,
    from: 'members m',
    joins: 'JOIN users u ON u.id = m.user_id',
    order: 'm.created_at DESC, m.user_id DESC',
    asked: range,
  });
}
