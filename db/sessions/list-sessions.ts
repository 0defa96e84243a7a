import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import { withShortened } from '../shortened.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LIVE, SESSION_COLUMNS, type SessionRecord } from './records.ts';

export interface SessionFilter {
  userId?: string | undefined;
  agentId?: string | undefined;
}

const LISTED = withShortened(SESSION_COLUMNS, 's', ['metadata']);

const CONDITIONS = { userId: 's.user_id = :userId', agentId: 's.agent_id = :agentId' };

/** One page, newest first. */
export async function listSessions(
  tx: EnvironmentTransaction,
  asked: SessionFilter & Range,
): Promise<Page<SessionRecord>> {
  return pageOf(tx, {
    columns: LISTED,
    from: 'sessions s',
    where: ['s.environment_id = current_environment_id()', LIVE, ...conditionsFor(CONDITIONS, asked)].join(' AND '),
    order: 's.created_at DESC, s.id DESC',
    asked,
  });
}
