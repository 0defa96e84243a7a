import type { Database } from '../client.ts';

/**
 * Counts a request as `more` further ones, for what it makes, in the windows that count it. It refuses nothing: the window may go over its limit,
 * and then admits no other request. Without a limit nothing is counted.
 */
export async function chargeRateLimit(db: Database, workspaceId: string, more: number): Promise<void> {
  await db.directory.raw('SELECT charge_rate_limit(?, ?)', [workspaceId, more]);
}
